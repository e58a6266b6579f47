;; Sleeps for an hour.
(module
  (import "a2a-host:plugin/agent@0.1.0" "sleep" (func $sleep (param i32)))
  (memory (export "memory") 2)
  ;; The pack `hostile` with one contract, `hostile.one`.
  (data (i32.const 64) "\0b\01\00\00\07\00\00\00\19\01\00\00\05\00\00\00\12\01\00\00\03\00\00\00\80\00\00\00\01\00\00\00")
  (data (i32.const 128) "\00\01\00\00\0b\00\00\00\0b\01\00\00\07\00\00\00\12\01\00\00\03\00\00\00\15\01\00\00\04\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  (data (i32.const 256) "hostile.onehostilebadmust0.0.1")
  ;; ok(passed) without notes at 512.
  (data (i32.const 512) "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
  ;; Hands out memory upwards and never takes it back.
  (global $top (mut i32) (i32.const 4096))
  (func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $top) (i32.const 7)) (i32.const -8)))
    (global.set $top (i32.add (local.get $at) (local.get 3)))
    (local.get $at))
  (func (export "a2a-host:plugin/contracts@0.1.0#describe") (result i32)
    (i32.const 64))
  (func (export "a2a-host:plugin/contracts@0.1.0#verify") (param i32 i32) (result i32)
    (call $sleep (i32.const 3600000))
    (i32.const 512))
)
