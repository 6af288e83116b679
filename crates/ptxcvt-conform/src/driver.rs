//! The CUDA driver, found at run time: the few functions of `libcuda` that a comparison needs.
//!
//! CUDA Driver API, sections "Initialization", "Device Management", "Primary Context Management", "Module
//! Management", "Memory Management" and "Execution Control". This is the only module of the crate with
//! `unsafe`: it opens a foreign library and calls it. Nothing unsafe is left to a caller, because the only
//! kernels that can be launched are our own printer's, over columns whose sizes are checked here.

#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::null_mut;
use std::rc::Rc;

use libloading::Library;
use ptxcvt::forms::Operand;
use ptxcvt::{Form, IsaVersion, Target};

use crate::kernel;

/// The library's names, tried if no path is given.
#[cfg(windows)]
const NAMES: &[&str] = &["nvcuda.dll"];
#[cfg(not(windows))]
const NAMES: &[&str] = &["libcuda.so.1", "libcuda.so"];

/// Whether the C library is part of the program. On Linux, a library that it loaded would need another copy of the C
/// library.
const IS_STATIC: bool = cfg!(all(target_feature = "crt-static", not(windows)));

/// Why there is no comparison with a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DriverError {
    /// The driver's library is not there, or lacks a function.
    Library {
        /// The names that were tried.
        name: String,
        /// The loader's messages.
        reason: String,
    },
    /// The program is linked statically, so the system's loader cannot open libraries for it.
    Static,
    /// The driver is there, but finds no GPU.
    NoDevice,
    /// No GPU has this number; the driver numbers its GPUs from 0.
    NoSuchDevice {
        /// The requested number.
        ordinal: u32,
        /// The number of GPUs.
        count: u32,
    },
    /// The driver refused a module.
    Module {
        /// Its compiler's messages.
        log: String,
    },
    /// A function of the driver failed.
    Call {
        /// The function.
        function: &'static str,
        /// The error's name and text.
        error: String,
    },
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverError::Library { name, reason } => {
                write!(f, "no NVIDIA driver here: {name} cannot be loaded ({reason})")
            }
            DriverError::Static => f.write_str(
                "a statically linked program cannot load the NVIDIA driver: use ptxcvt for a system with glibc, \
                 whose archive ends in linux-gnu",
            ),
            DriverError::NoDevice => f.write_str("the NVIDIA driver finds no GPU here"),
            DriverError::NoSuchDevice { ordinal, count } => {
                write!(f, "there is no GPU {ordinal}: the driver numbers its {count} from 0")
            }
            DriverError::Module { log } => write!(f, "the driver refused a kernel: {}", log.trim()),
            DriverError::Call { function, error } => write!(f, "{function} failed: {error}"),
        }
    }
}

impl std::error::Error for DriverError {}

type Status = c_int;
type Address = u64;
type Handle = *mut c_void;

/// Declares the functions that are used. `functions! { init = "cuInit"(flags: c_uint); }` expands to a
/// struct `Functions` with the field `init`, a pointer of that signature, and `Functions::find`, which
/// looks every name up in a library.
macro_rules! functions {
    ($($field:ident = $name:literal($($argument:ident: $type:ty),*);)*) => {
        #[derive(Debug)]
        struct Functions { $($field: unsafe extern "system" fn($($type),*) -> Status),* }

        impl Functions {
            fn find(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: each name is the driver API's, and its signature is the one that cuda.h declares;
                // the pointers are used only while the library is held (`Driver` owns both).
                unsafe { Ok(Functions { $($field: *library.get(concat!($name, "\0").as_bytes())?),* }) }
            }
        }
    };
}

functions! {
    init = "cuInit"(flags: c_uint);
    driver_version = "cuDriverGetVersion"(version: *mut c_int);
    device_count = "cuDeviceGetCount"(count: *mut c_int);
    device_get = "cuDeviceGet"(device: *mut c_int, ordinal: c_int);
    device_name = "cuDeviceGetName"(name: *mut c_char, length: c_int, device: c_int);
    device_attribute = "cuDeviceGetAttribute"(value: *mut c_int, attribute: c_int, device: c_int);
    context_retain = "cuDevicePrimaryCtxRetain"(context: *mut Handle, device: c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2"(device: c_int);
    context_set = "cuCtxSetCurrent"(context: Handle);
    synchronize = "cuCtxSynchronize"();
    module_load = "cuModuleLoadDataEx"(module: *mut Handle, image: *const c_void, count: c_uint,
                                       options: *mut c_int, values: *mut *mut c_void);
    module_function = "cuModuleGetFunction"(function: *mut Handle, module: Handle, name: *const c_char);
    module_unload = "cuModuleUnload"(module: Handle);
    allocate = "cuMemAlloc_v2"(address: *mut Address, bytes: usize);
    free = "cuMemFree_v2"(address: Address);
    to_device = "cuMemcpyHtoD_v2"(to: Address, from: *const c_void, bytes: usize);
    from_device = "cuMemcpyDtoH_v2"(to: *mut c_void, from: Address, bytes: usize);
    launch = "cuLaunchKernel"(function: Handle, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
                              block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint,
                              stream: Handle, arguments: *mut *mut c_void, extra: *mut *mut c_void);
    error_name = "cuGetErrorName"(status: Status, text: *mut *const c_char);
    error_text = "cuGetErrorString"(status: Status, text: *mut *const c_char);
}

const SUCCESS: Status = 0;
const NO_DEVICE: Status = 100;
const CAPABILITY_MAJOR: c_int = 75;
const CAPABILITY_MINOR: c_int = 76;
const JIT_ERROR_LOG: c_int = 5;
const JIT_ERROR_LOG_BYTES: c_int = 6;

/// The driver's library, initialised.
#[derive(Debug)]
pub struct Driver {
    functions: Functions,
    // Dropped after the pointers into it.
    _library: Library,
}

impl Driver {
    /// Opens the driver: the library at `path`, or the one that the system's loader finds.
    ///
    /// # Errors
    ///
    /// Fails if there is no such library, if it lacks a function, or if it finds no GPU; always in a statically linked
    /// program.
    pub fn open(path: Option<&Path>) -> Result<Rc<Driver>, DriverError> {
        if IS_STATIC {
            return Err(DriverError::Static);
        }
        let given = path.map(|p| p.as_os_str().to_owned());
        let names: Vec<_> = match given {
            Some(name) => vec![name],
            None => NAMES.iter().map(|name| name.into()).collect(),
        };
        let mut first = None;
        for name in names {
            // SAFETY: loading a library runs its initialisers. It is the system's own GPU driver, or the
            // one that the user named.
            let opened = unsafe { Library::new(&name) };
            match opened.and_then(|library| Ok((Functions::find(&library)?, library))) {
                Ok((functions, library)) => {
                    let driver = Driver { functions, _library: library };
                    // SAFETY: cuInit requires the argument 0 and may be called at any time.
                    driver.check("cuInit", unsafe { (driver.functions.init)(0) })?;
                    return Ok(Rc::new(driver));
                }
                Err(error) => {
                    let name = name.to_string_lossy().into_owned();
                    first.get_or_insert(DriverError::Library { name, reason: error.to_string() });
                }
            }
        }
        Err(first.unwrap_or(DriverError::NoDevice))
    }

    fn check(&self, function: &'static str, status: Status) -> Result<(), DriverError> {
        match status {
            SUCCESS => Ok(()),
            NO_DEVICE => Err(DriverError::NoDevice),
            status => Err(DriverError::Call { function, error: self.describe(status) }),
        }
    }

    /// The name and the text of an error.
    fn describe(&self, status: Status) -> String {
        let text = |get: unsafe extern "system" fn(Status, *mut *const c_char) -> Status| {
            let mut text = std::ptr::null();
            // SAFETY: the driver stores a pointer to a static string, or null for an unknown number.
            let found = unsafe { get(status, &mut text) } == SUCCESS && !text.is_null();
            // SAFETY: as above: not null, terminated, and never freed.
            found.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        match (text(self.functions.error_name), text(self.functions.error_text)) {
            (Some(name), Some(text)) => format!("{name}: {text}"),
            _ => format!("error {status}"),
        }
    }

    /// The CUDA version that the driver supports, such as 13.2.
    ///
    /// # Errors
    ///
    /// Fails if the driver does.
    pub fn cuda_version(&self) -> Result<(u32, u32), DriverError> {
        let mut version = 0;
        // SAFETY: the driver stores one integer.
        self.check("cuDriverGetVersion", unsafe { (self.functions.driver_version)(&mut version) })?;
        let version = version.max(0) as u32;
        Ok((version / 1000, version % 1000 / 10))
    }

    /// GPU number `ordinal`, from 0.
    ///
    /// # Errors
    ///
    /// Fails if there is no such GPU or the driver fails.
    pub fn device(self: &Rc<Self>, ordinal: u32) -> Result<Device, DriverError> {
        let (functions, mut count, mut id) = (&self.functions, 0, 0);
        // SAFETY: the driver stores one integer.
        self.check("cuDeviceGetCount", unsafe { (functions.device_count)(&mut count) })?;
        let count = count.max(0) as u32;
        if count == 0 {
            return Err(DriverError::NoDevice);
        }
        if ordinal >= count {
            return Err(DriverError::NoSuchDevice { ordinal, count });
        }
        // SAFETY: the driver stores one integer; the ordinal is in range.
        self.check("cuDeviceGet", unsafe { (functions.device_get)(&mut id, ordinal as c_int) })?;
        let mut context = null_mut();
        // SAFETY: the driver stores one handle. `Device` releases it.
        let retained = unsafe { (functions.context_retain)(&mut context, id) };
        self.check("cuDevicePrimaryCtxRetain", retained)?;
        Ok(Device { driver: Rc::clone(self), id, context, _this_thread: PhantomData })
    }
}

/// A GPU, ready to run kernels on the thread that opened it.
#[derive(Debug)]
pub struct Device {
    driver: Rc<Driver>,
    id: c_int,
    context: Handle,
    _this_thread: PhantomData<*mut ()>,
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: releases what `Driver::device` retained; every `Kernel` borrows the device and is gone.
        unsafe { (self.driver.functions.context_release)(self.id) };
    }
}

impl Device {
    /// The name of the GPU.
    ///
    /// # Errors
    ///
    /// Fails if the driver does.
    pub fn name(&self) -> Result<String, DriverError> {
        let mut name = [0_u8; 256];
        let length = name.len() as c_int - 1;
        // SAFETY: the driver writes at most `length` bytes, terminated; the last byte stays zero.
        let status =
            unsafe { (self.driver.functions.device_name)(name.as_mut_ptr().cast(), length, self.id) };
        self.driver.check("cuDeviceGetName", status)?;
        let text = CStr::from_bytes_until_nul(&name).expect("the last byte is zero");
        Ok(text.to_string_lossy().into_owned())
    }

    /// The compute capability: (10, 0) of an architecture sm_100.
    ///
    /// # Errors
    ///
    /// Fails if the driver does.
    pub fn capability(&self) -> Result<(u32, u32), DriverError> {
        let ask = |attribute| {
            let mut value = 0;
            // SAFETY: the driver stores one integer.
            let status = unsafe { (self.driver.functions.device_attribute)(&mut value, attribute, self.id) };
            self.driver.check("cuDeviceGetAttribute", status).map(|()| value.max(0) as u32)
        };
        Ok((ask(CAPABILITY_MAJOR)?, ask(CAPABILITY_MINOR)?))
    }

    /// The CUDA version that the driver supports.
    ///
    /// # Errors
    ///
    /// Fails if the driver does.
    pub fn cuda_version(&self) -> Result<(u32, u32), DriverError> {
        self.driver.cuda_version()
    }

    /// Makes the GPU current for the following calls.
    fn select(&self) -> Result<(), DriverError> {
        // SAFETY: the context is retained as long as `self` lives. A context is current for one thread,
        // and `Device` cannot leave its own.
        self.driver.check("cuCtxSetCurrent", unsafe { (self.driver.functions.context_set)(self.context) })
    }

    /// Compiles the form's kernel for this GPU.
    ///
    /// # Errors
    ///
    /// [`DriverError::Module`] with the compiler's messages if the driver rejects it.
    pub fn kernel(&self, form: Form, target: Target, isa: IsaVersion) -> Result<Kernel<'_>, DriverError> {
        self.select()?;
        let functions = &self.driver.functions;
        let mut image = kernel::module(&[form], target, isa).into_bytes();
        image.push(0);
        let mut log = vec![0_u8; 8192];
        let mut options = [JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES];
        // The log's size is passed in the pointer itself, as the driver API requires.
        let mut values = [log.as_mut_ptr().cast::<c_void>(), (log.len() - 1) as *mut c_void];
        let mut module = null_mut();
        // SAFETY: the image is terminated text; both option arrays have two entries; the log has one byte
        // more than the size that the driver receives.
        let status = unsafe {
            (functions.module_load)(
                &mut module,
                image.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if status != SUCCESS {
            let messages = CStr::from_bytes_until_nul(&log).expect("the last byte is zero").to_string_lossy();
            return Err(DriverError::Module { log: format!("{}\n{messages}", self.driver.describe(status)) });
        }
        let mut kernel =
            Kernel { device: self, module, function: null_mut(), operands: form.operands().collect() };
        let mut name = form.identifier().into_bytes();
        name.push(0);
        // SAFETY: the module was loaded; the name is terminated.
        let found =
            unsafe { (functions.module_function)(&mut kernel.function, module, name.as_ptr().cast()) };
        self.driver.check("cuModuleGetFunction", found)?;
        Ok(kernel)
    }

    /// Memory on the GPU, freed when dropped.
    fn memory(&self, bytes: usize) -> Result<Memory<'_>, DriverError> {
        let mut address = 0;
        // SAFETY: the driver stores one address. `Memory` frees it.
        let status = unsafe { (self.driver.functions.allocate)(&mut address, bytes.max(1)) };
        self.driver.check("cuMemAlloc", status)?;
        Ok(Memory { device: self, address })
    }
}

/// Memory on the GPU.
struct Memory<'d> {
    device: &'d Device,
    address: Address,
}

impl Drop for Memory<'_> {
    fn drop(&mut self) {
        // SAFETY: allocated by `Device::memory`, freed once; kernels that used it have ended.
        unsafe { (self.device.driver.functions.free)(self.address) };
    }
}

/// A form's kernel, compiled for a GPU.
#[derive(Debug)]
pub struct Kernel<'d> {
    device: &'d Device,
    module: Handle,
    function: Handle,
    operands: Vec<Operand>,
}

impl Drop for Kernel<'_> {
    fn drop(&mut self) {
        // A driver that cannot select the GPU any more cannot unload from it, either.
        let _ = self.device.select();
        // SAFETY: loaded by `Device::kernel`, unloaded once; no launch is under way (`run` waits).
        unsafe { (self.device.driver.functions.module_unload)(self.module) };
    }
}

impl Kernel<'_> {
    /// Converts columns: one per source operand in PTX order, little-endian, each as wide as the operand.
    /// Returns the column of results.
    ///
    /// # Errors
    ///
    /// Fails if the driver does.
    ///
    /// # Panics
    ///
    /// Panics if a column is missing or its size is not that of `rows` operands.
    pub fn run(&self, columns: &[Vec<u8>], rows: usize) -> Result<Vec<u8>, DriverError> {
        let (destination, sources) = (&self.operands[0], &self.operands[1..]);
        assert_eq!(columns.len(), sources.len(), "one column per source operand");
        self.device.select()?;
        let driver = &self.device.driver;
        let functions = &driver.functions;
        let mut result = vec![0_u8; rows * kernel::column_bytes(destination)];
        let mut memory = vec![self.device.memory(result.len())?];
        for (column, operand) in columns.iter().zip(sources) {
            assert_eq!(column.len(), rows * kernel::column_bytes(operand), "a column of {rows} rows");
            let place = self.device.memory(column.len())?;
            // SAFETY: the allocation is as large as the column.
            let copied =
                unsafe { (functions.to_device)(place.address, column.as_ptr().cast(), column.len()) };
            driver.check("cuMemcpyHtoD", copied)?;
            memory.push(place);
        }
        const THREADS: c_uint = 256;
        let blocks = rows.div_ceil(THREADS as usize).clamp(1, 4096) as c_uint;
        let mut values: Vec<u64> = memory.iter().map(|m| m.address).chain([rows as u64]).collect();
        let mut arguments: Vec<*mut c_void> = values.iter_mut().map(|v| (v as *mut u64).cast()).collect();
        // SAFETY: the kernel has one address per operand and the number of rows, all 64 bits wide, and
        // touches exactly `rows` entries of each column, whose sizes were checked above.
        let launched = unsafe {
            let arguments = arguments.as_mut_ptr();
            (functions.launch)(
                self.function,
                blocks,
                1,
                1,
                THREADS,
                1,
                1,
                0,
                null_mut(),
                arguments,
                null_mut(),
            )
        };
        driver.check("cuLaunchKernel", launched)?;
        // SAFETY: waits for the work in this thread's current context.
        driver.check("cuCtxSynchronize", unsafe { (functions.synchronize)() })?;
        // SAFETY: the allocation is as large as the result.
        let copied =
            unsafe { (functions.from_device)(result.as_mut_ptr().cast(), memory[0].address, result.len()) };
        driver.check("cuMemcpyDtoH", copied)?;
        Ok(result)
    }
}
