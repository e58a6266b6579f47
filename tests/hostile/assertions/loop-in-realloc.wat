;; Loops when the host asks for memory to put an argument into.
(module
  (memory (export "memory") 2)
  ;; One check, `hostile`, with a summary and a schema.
  (data (i32.const 64) "\80\00\00\00\01\00\00\00")
  (data (i32.const 128) "\00\01\00\00\07\00\00\00\07\01\00\00\04\00\00\00\0b\01\00\00\04\00\00\00")
  (data (i32.const 256) "hostilebad!true")
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (loop $for_ever (br $for_ever)) (unreachable))
  (func (export "a2a-host:plugin/assertions@0.1.0#describe") (result i32)
    (i32.const 64))
  ;; Handle 0 for every config.
  (func (export "a2a-host:plugin/assertions@0.1.0#prepare") (param i32 i32 i32 i32) (result i32)
    (i32.const 80))
  ;; No findings: an empty list at 96.
  (func (export "a2a-host:plugin/assertions@0.1.0#evaluate") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64) (result i32)
    (i32.const 96))
)
