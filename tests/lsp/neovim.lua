-- A real editor without a screen: opens a file with a race, sees the diagnostics and the hover, fixes the
-- race in the buffer without saving, sees them go, brings it back, sees them again.
local patience = 300000 -- milliseconds; a loaded machine is slow

local function fail(text)
    io.stderr:write('neovim: ' .. text .. '\n')
    vim.cmd('cquit 1')
end

local function lines_of(diagnostics)
    local lines = {}
    for _, d in ipairs(diagnostics) do
        table.insert(lines, d.lnum + 1)
    end
    table.sort(lines)
    return table.concat(lines, ' ')
end

local function wait_for(wanted, what)
    local seen = ''
    local ok = vim.wait(patience, function()
        seen = lines_of(vim.diagnostic.get(0))
        return seen == wanted
    end, 20)
    if not ok then
        fail(what .. ': diagnostics on lines "' .. seen .. '", not "' .. wanted .. '"')
    end
end

local client = vim.lsp.start_client({
    name = 'snag',
    cmd = { os.getenv('SNAG'), 'lsp' },
    root_dir = vim.fn.getcwd(),
    settings = { snag = { debounce = 50 } },
})
vim.lsp.buf_attach_client(0, client)

wait_for('8 17', 'opened')
local first = vim.diagnostic.get(0, { lnum = 7 })[1]
if not first.message:find('data race on `counter`', 1, true) or first.source ~= 'snag' then
    fail('message: ' .. first.message)
end
local params = { textDocument = vim.lsp.util.make_text_document_params(), position = { line = 7, character = 4 } }
local answers = vim.lsp.buf_request_sync(0, 'textDocument/hover', params, patience)
local hover = answers[client].result.contents.value
if not hover:find('One order of events', 1, true) or not hover:find('pthread_create', 1, true) then
    fail('hover: ' .. hover)
end

vim.api.nvim_buf_set_lines(0, 7, 8, true, { '    pthread_mutex_lock(&lock);', '    counter++;', '    pthread_mutex_unlock(&lock);' })
wait_for('', 'fixed')
vim.api.nvim_buf_set_lines(0, 9, 10, true, {})
vim.api.nvim_buf_set_lines(0, 7, 8, true, {})
wait_for('8 17', 'broken again')
vim.lsp.stop_client(client)
print('neovim: race seen, fixed, gone, back')
vim.cmd('qall!')
