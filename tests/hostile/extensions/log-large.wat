;; Writes log lines of 15 MiB without end.
(module
  (import "a2a-host:plugin/host@0.1.0" "log" (func $log (param i32 i32 i32 i32)))
  (memory (export "memory") 250)
  ;; One extension, `urn:hostile`, with the command `hostile`.
  (data (i32.const 64) "\80\00\00\00\01\00\00\00")
  (data (i32.const 128) "\00\01\00\00\0b\00\00\00\0b\01\00\00\03\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\0e\01\00\00\07\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 256) "urn:hostilebadhostile")
  ;; ok at 512.
  (data (i32.const 512) "\00\00\00\00")
  ;; Hands out memory upwards and never takes it back.
  (global $top (mut i32) (i32.const 4096))
  (func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get 3)))
    (local.get $at))
  (func (export "a2a-host:plugin/extensions@0.1.0#describe") (result i32)
    (i32.const 64))
  ;; The request is passed by address: it has too many members to travel otherwise.
  (func (export "a2a-host:plugin/extensions@0.1.0#handle") (param $arguments i32) (result i32)
    (loop $for_ever
      (call $log (i32.const 256) (i32.const 4) (i32.const 524288) (i32.const 15728640))
      (br $for_ever))
    (unreachable))
  (func (export "a2a-host:plugin/extensions@0.1.0#activate") (param i32) (result i32)
    (unreachable))
)
