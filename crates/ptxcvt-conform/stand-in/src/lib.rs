//! A stand-in for `libcuda`, for tests on machines without a GPU.
//!
//! It has the functions of the CUDA Driver API that `ptxcvt-conform` calls, its own memory in which every
//! access is checked, and an interpreter for the kernels that the printer writes (`machine.rs`). The
//! reference evaluator makes the conversions, so tests cover the path to the GPU and back: columns,
//! addresses, operand order, widths. Its GPUs are described in [`models`]; some of them misbehave.
//!
//! With `PTXCVT_STAND_IN=none` in the environment it finds no GPU.

#![allow(unsafe_code)] // a C interface: every function stores through its caller's pointers

mod machine;
mod memory;
pub mod models;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use machine::Program;
use memory::Memory;
use models::MODELS;

type Status = c_int;
const SUCCESS: Status = 0;
const INVALID_VALUE: Status = 1;
const NO_DEVICE: Status = 100;
const INVALID_CONTEXT: Status = 201;
const INVALID_PTX: Status = 218;
const NOT_FOUND: Status = 500;
const ILLEGAL_ADDRESS: Status = 700;

/// The state of the driver.
#[derive(Default)]
struct State {
    memory: Memory,
    modules: BTreeMap<usize, Vec<Program>>,
    next: usize,
    asynchronous: Status,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

thread_local! {
    /// The current context of this thread: a model's number plus 1.
    static CURRENT: Cell<usize> = const { Cell::new(0) };
}

fn lock() -> MutexGuard<'static, Option<State>> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn with_state(work: impl FnOnce(&mut State) -> Status) -> Status {
    work(lock().get_or_insert_default())
}

/// # Safety
/// The arguments are valid as the driver API requires: the pointer may be written.
unsafe fn store<T>(place: *mut T, value: T) -> Status {
    if place.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: not null, and the caller's promise.
    unsafe { place.write(value) };
    SUCCESS
}

/// Finds the GPUs.
#[unsafe(no_mangle)]
pub extern "system" fn cuInit(_flags: c_uint) -> Status {
    if std::env::var_os("PTXCVT_STAND_IN").is_some_and(|v| v == "none") { NO_DEVICE } else { SUCCESS }
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuDriverGetVersion(version: *mut c_int) -> Status {
    // SAFETY: the caller's pointer.
    unsafe { store(version, models::cuda_version()) }
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    // SAFETY: the caller's pointer.
    unsafe { store(count, MODELS.len() as c_int) }
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    // SAFETY: the caller's pointer.
    unsafe { store(device, ordinal) }
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) -> Status {
    let Some(model) = MODELS.get(device as usize) else { return INVALID_VALUE };
    let bytes = model.name.bytes().take((length.max(1) - 1) as usize).chain([0]);
    for (at, byte) in bytes.enumerate() {
        // SAFETY: at most `length` bytes, the terminator included.
        unsafe { name.add(at).write(byte as c_char) };
    }
    SUCCESS
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuDeviceGetAttribute(value: *mut c_int, which: c_int, device: c_int) -> Status {
    let Some(model) = MODELS.get(device as usize) else { return INVALID_VALUE };
    // SAFETY: the caller's pointer.
    match which {
        75 => unsafe { store(value, i32::from(model.sm() / 10)) },
        76 => unsafe { store(value, i32::from(model.sm() % 10)) },
        _ => INVALID_VALUE,
    }
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int) -> Status {
    // SAFETY: the caller's pointer; the handle is a number.
    unsafe { store(context, (device as usize + 1) as *mut c_void) }
}

/// Contexts have no state.
#[unsafe(no_mangle)]
pub extern "system" fn cuDevicePrimaryCtxRelease_v2(_device: c_int) -> Status {
    SUCCESS
}

/// Makes a context current for this thread.
#[unsafe(no_mangle)]
pub extern "system" fn cuCtxSetCurrent(context: *mut c_void) -> Status {
    CURRENT.set(context as usize);
    SUCCESS
}

/// Waits for launches. They have ended already; their errors appear here.
#[unsafe(no_mangle)]
pub extern "system" fn cuCtxSynchronize() -> Status {
    with_state(|state| std::mem::replace(&mut state.asynchronous, SUCCESS))
}

/// # Safety
/// The arguments are valid as the driver API requires: terminated text, option arrays of `count` entries.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuModuleLoadDataEx(
    module: *mut *mut c_void,
    image: *const c_void,
    count: c_uint,
    options: *mut c_int,
    values: *mut *mut c_void,
) -> Status {
    let Some(model) = CURRENT.get().checked_sub(1).and_then(|at| MODELS.get(at)) else {
        return INVALID_CONTEXT;
    };
    // SAFETY: the caller's terminated text.
    let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
    match machine::read(&text, model) {
        Ok(programs) => with_state(|state| {
            state.next += 1;
            state.modules.insert(state.next, programs);
            // SAFETY: the caller's pointer; the handle is a number.
            unsafe { store(module, state.next as *mut c_void) }
        }),
        Err(message) => {
            // SAFETY: `count` entries each; option 5 is a buffer, option 6 its size.
            let option = |wanted| {
                (0..count as usize)
                    .find(|i| unsafe { *options.add(*i) } == wanted)
                    .map(|i| unsafe { *values.add(i) })
            };
            if let (Some(buffer), Some(size)) = (option(5), option(6)) {
                let room = (size as usize).saturating_sub(1);
                for (at, byte) in message.bytes().take(room).chain([0]).enumerate() {
                    // SAFETY: within the size that the caller gave.
                    unsafe { buffer.cast::<u8>().add(at).write(byte) };
                }
            }
            INVALID_PTX
        }
    }
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuModuleGetFunction(
    function: *mut *mut c_void,
    module: *mut c_void,
    name: *const c_char,
) -> Status {
    // SAFETY: the caller's terminated text.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    with_state(|state| {
        let programs = state.modules.get(&(module as usize));
        match programs.and_then(|all| all.iter().position(|p| p.name == name)) {
            // A function's handle names its module; every module of the tests has one entry.
            // SAFETY: the caller's pointer.
            Some(0) => unsafe { store(function, module) },
            _ => NOT_FOUND,
        }
    })
}

/// Unloads a module.
#[unsafe(no_mangle)]
pub extern "system" fn cuModuleUnload(module: *mut c_void) -> Status {
    with_state(
        |state| if state.modules.remove(&(module as usize)).is_some() { SUCCESS } else { INVALID_VALUE },
    )
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Status {
    // SAFETY: the caller's pointer.
    with_state(|state| unsafe { store(address, state.memory.allocate(bytes)) })
}

/// Frees memory.
#[unsafe(no_mangle)]
pub extern "system" fn cuMemFree_v2(address: u64) -> Status {
    with_state(|state| if state.memory.free(address) { SUCCESS } else { INVALID_VALUE })
}

/// # Safety
/// The arguments are valid as the driver API requires: `bytes` bytes may be read.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuMemcpyHtoD_v2(to: u64, from: *const c_void, bytes: usize) -> Status {
    // SAFETY: the caller's bytes.
    let source = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), bytes) };
    with_state(|state| match state.memory.at(to, bytes) {
        Some(place) => {
            place.copy_from_slice(source);
            SUCCESS
        }
        None => INVALID_VALUE,
    })
}

/// # Safety
/// The arguments are valid as the driver API requires: `bytes` bytes may be written.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuMemcpyDtoH_v2(to: *mut c_void, from: u64, bytes: usize) -> Status {
    // SAFETY: the caller's bytes.
    let target = unsafe { std::slice::from_raw_parts_mut(to.cast::<u8>(), bytes) };
    with_state(|state| match state.memory.at(from, bytes) {
        Some(place) => {
            target.copy_from_slice(place);
            SUCCESS
        }
        None => INVALID_VALUE,
    })
}

/// # Safety
/// The arguments are valid as the driver API requires: one pointer to a 64-bit value per parameter of the kernel.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuLaunchKernel(
    function: *mut c_void,
    grid_x: c_uint,
    _grid_y: c_uint,
    _grid_z: c_uint,
    block_x: c_uint,
    _block_y: c_uint,
    _block_z: c_uint,
    _shared: c_uint,
    _stream: *mut c_void,
    arguments: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> Status {
    with_state(|state| {
        let State { modules, memory, asynchronous, .. } = state;
        let Some(program) = modules.get(&(function as usize)).and_then(|p| p.first()) else {
            return INVALID_VALUE;
        };
        let argument = |at: usize| {
            // SAFETY: one pointer per parameter, each to 64 bits.
            unsafe { (*arguments.add(at)).cast::<u64>().read() }
        };
        let values: Vec<u64> = (0..program.parameters.len()).map(argument).collect();
        if !program.launch(&values, grid_x, block_x, memory) {
            *asynchronous = ILLEGAL_ADDRESS;
        }
        SUCCESS
    })
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuGetErrorName(status: Status, text: *mut *const c_char) -> Status {
    // SAFETY: the caller's pointer; the strings are static.
    unsafe { store(text, name_of(status).as_ptr()) }
}

/// # Safety
/// The arguments are valid as the driver API requires.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn cuGetErrorString(_status: Status, text: *mut *const c_char) -> Status {
    // SAFETY: the caller's pointer; the string is static.
    unsafe { store(text, c"the stand-in driver says so".as_ptr()) }
}

fn name_of(status: Status) -> &'static CStr {
    match status {
        INVALID_VALUE => c"CUDA_ERROR_INVALID_VALUE",
        INVALID_CONTEXT => c"CUDA_ERROR_INVALID_CONTEXT",
        INVALID_PTX => c"CUDA_ERROR_INVALID_PTX",
        NOT_FOUND => c"CUDA_ERROR_NOT_FOUND",
        ILLEGAL_ADDRESS => c"CUDA_ERROR_ILLEGAL_ADDRESS",
        _ => c"CUDA_ERROR_UNKNOWN",
    }
}
