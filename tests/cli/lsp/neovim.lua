-- A session of Neovim with the server, for tools/try-editors.py: each line of out.txt is something that a user sees.
local root, out = os.getenv("ROOT"), {}
local function say(text) table.insert(out, text) end
vim.opt.runtimepath:append(root .. "/nvim")
require("scuba").setup({ cmd = { os.getenv("SCUBA"), "lsp" } })
vim.cmd("filetype on")
vim.cmd("edit " .. root .. "/a.cu")
local function diagnostics(n)
  vim.wait(60000, function() return #vim.diagnostic.get(0) == n end, 50)
  return vim.diagnostic.get(0)
end
vim.wait(5000, function() return #vim.lsp.buf_get_clients(0) == 1 end, 50)
say("clients " .. #vim.lsp.buf_get_clients(0))
vim.cmd("write")
for _, d in ipairs(diagnostics(1)) do say(string.format("%d:%d %s %s", d.lnum + 1, d.col + 1, d.source, d.message:gsub("\n.*", ""))) end
vim.api.nvim_win_set_cursor(0, { 4, 3 })
local hover = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 5000)
for _, r in pairs(hover) do say((r.result.contents.value:gsub("\n.*", ""))) end
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local actions = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 5000)
for _, r in pairs(actions) do
  for _, a in ipairs(r.result) do say(a.title) end
  vim.lsp.util.apply_workspace_edit(r.result[1].edit, "utf-16")
end
vim.cmd("write")
diagnostics(0)
say("left " .. #vim.diagnostic.get(0))
say(vim.fn.getline(4))
vim.fn.writefile(out, root .. "/out.txt")
vim.cmd("qall!")
