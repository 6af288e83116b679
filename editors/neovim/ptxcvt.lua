-- Starts `ptxcvt lsp` for files that are PTX or may hold some: for Neovim 0.10 or newer, in ~/.config/nvim/plugin/.
vim.filetype.add({ extension = { ptx = "ptx", cu = "cuda", cuh = "cuda", ll = "llvm", mlir = "mlir" } })

vim.api.nvim_create_autocmd("FileType", {
  pattern = { "ptx", "cuda", "c", "cpp", "python", "llvm", "mlir" },
  callback = function(event)
    vim.lsp.start({
      name = "ptxcvt",
      cmd = { "ptxcvt", "lsp" },
      root_dir = vim.fs.root(event.buf, { "ptxcvt.toml", ".git" }),
      -- For code that does not say for which GPU it is: init_options = { target = "sm_90a", isa = "8.7" },
    })
  end,
})
