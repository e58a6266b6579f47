;; Writes log lines without end.
(module
  (import "a2a-host:plugin/host@0.1.0" "log" (func $log (param i32 i32 i32 i32)))
  (memory (export "memory") 2)
  ;; One check, `hostile`, with a summary and a schema.
  (data (i32.const 64) "\80\00\00\00\01\00\00\00")
  (data (i32.const 128) "\00\01\00\00\07\00\00\00\07\01\00\00\04\00\00\00\0b\01\00\00\04\00\00\00")
  (data (i32.const 256) "hostilebad!true")
  (data (i32.const 512) "infonoise")
  ;; Hands out memory upwards and never takes it back.
  (global $top (mut i32) (i32.const 4096))
  (func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get 3)))
    (local.get $at))
  (func (export "a2a-host:plugin/assertions@0.1.0#describe") (result i32)
    (i32.const 64))
  ;; Handle 0 for every config.
  (func (export "a2a-host:plugin/assertions@0.1.0#prepare") (param i32 i32 i32 i32) (result i32)
    (i32.const 80))
  ;; No findings: an empty list at 96.
  (func (export "a2a-host:plugin/assertions@0.1.0#evaluate") (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i64 i64) (result i32)
    (local $left i32)
    (local.set $left (i32.const 1))
    (loop $more
      (call $log (i32.const 512) (i32.const 4) (i32.const 516) (i32.const 5))
      (br_if $more (local.get $left)))
    (i32.const 96))
)
