import { createHash } from "node:crypto";

/** A script, its SHA-1 in the server's cache, and the suffixes of its keys. */
export interface Script {
  readonly text: string;
  readonly sha: string;
  readonly keys: readonly string[];
}

function script(keys: readonly string[], text: string): Script {
  return { keys, text, sha: createHash("sha1").update(text).digest("hex") };
}

/** All keys of a thread. Each script declares all of them, so that a cluster refuses it if it would see only some of them while the slot moves. */
const THREAD = ["h", "r", "m", "c", "xi", "xt", "xa", "xo", "xp", "xs", "xe"];

/*
 * Keys of a thread, all in one slot: `h` is a hash of stamp (s), head (h), numbers of rows and of members of lanes (n), time of the last change (u), user (w) and index marker (x); `r` is the list of
 * rows, each prefixed with the letter of its lane; `m` and `c` are sorted sets of the positions of a lane; `x<kind>` are hashes of items.
 */

/** Counts rows and members of lanes, to compare them with the expected numbers, field \`n\` of the hash \`h\`. */
const SIZES = `
local function sizes()
  local found = {redis.call('LLEN', base..'r')}
  for _, lane in ipairs({'m', 'c'}) do found[#found + 1] = redis.call('ZCARD', base..lane) end
  return table.concat(found, ' ')
end`;

/** KEYS: those of the thread. ARGV: the lookups, as JSON. Returns -1 if the keys are inconsistent: one is missing or incomplete. */
export const READ: Script = script(
  THREAD,
  `
local base = string.sub(KEYS[1], 1, -2)
${SIZES}
local known = redis.call('HMGET', base..'h', 's', 'h', 'n')
if sizes() ~= (known[3] or '0 0 0') or (known[3] and not known[1]) then return {-1} end
local out = {known[1], known[2]}
local length = redis.call('LLEN', base..'r')
local function row(rows, position)
  local text = redis.call('LINDEX', base..'r', position)
  if text then rows[#rows + 1] = tostring(position); rows[#rows + 1] = text end
end
local function ask_rows(ask, rows)
  local from, to, limit = ask.from, math.min(ask.to, length), ask.limit
  if limit == 0 or from >= to then return rows end
  if ask.lane then
    local range, first, last = 'ZREVRANGEBYSCORE', to - 1, from
    if ask.forward then range, first, last = 'ZRANGEBYSCORE', from, to - 1 end
    for _, position in ipairs(redis.call(range, base..ask.lane, first, last, 'LIMIT', 0, limit)) do row(rows, position) end
    return rows
  end
  if limit > 0 and to - from > limit then
    if ask.forward then to = from + limit else from = to - limit end
  end
  rows = redis.call('LRANGE', base..'r', from, to - 1)
  table.insert(rows, 1, 'from'..string.format('%d', from))
  return rows
end
local function ask_items(ask, rows, items)
  local hash = base..'x'..ask.of
  if ask.kind == 'keys' then
    for _, key in ipairs(redis.call('HKEYS', hash)) do items[#items + 1] = key; items[#items + 1] = '' end
    return items
  end
  if not ask.keys then return redis.call('HGETALL', hash) end
  for _, key in ipairs(ask.keys) do
    local value = redis.call('HGET', hash, key)
    if value then
      items[#items + 1] = key; items[#items + 1] = value
      local position = ask.withRows and string.match(value, '^%d+')
      if position then row(rows, position) end
    end
  end
  return items
end
for _, ask in ipairs(cjson.decode(ARGV[1])) do
  local rows, items = {}, {}
  if ask.kind == 'rows' then rows = ask_rows(ask, rows) else items = ask_items(ask, rows, items) end
  out[#out + 1] = {rows, items}
end
return out`,
);

/**
 * KEYS: those of the thread. ARGV: the change as JSON, the head, the texts of rows, the values of items. Returns 0 if a condition is not met, -1 if the keys are inconsistent, otherwise 1
 * and the index marker of the thread. All checks precede the first write, because Redis does not roll back the writes of a script that fails.
 *
 * The expiry time is formatted with `%.0f`: on some servers `%d` formats 32 bits only, too few for milliseconds since 1970, and the thread would expire immediately.
 */
export const COMMIT: Script = script(
  THREAD,
  `
local base, change, nth = string.sub(KEYS[1], 1, -2), cjson.decode(ARGV[1]), 2
${SIZES}
local types = {h = 'hash', r = 'list', m = 'zset', c = 'zset', l = 'zset', xi = 'hash', xt = 'hash', xa = 'hash', xo = 'hash', xp = 'hash', xs = 'hash', xe = 'hash'}
for part, wanted in pairs(types) do
  local actual = redis.call('TYPE', base..part).ok
  if actual ~= 'none' and actual ~= wanted then return {-1} end
end
local known = redis.call('HMGET', base..'h', 's', 'n', 'x')
if tonumber(known[1] or '0') ~= change.stamp then return {0} end
local length = redis.call('LLEN', base..'r')
if not change.wipe and sizes() ~= (known[2] or '0 0 0') then return {-1} end
for _, item in ipairs(change.absent) do if redis.call('HEXISTS', base..'x'..item[1], item[2]) == 1 then return {0} end end
local time, expiry = redis.call('TIME'), change.ttl or redis.call('PTTL', base..'h')
if change.wipe then
  for part in pairs(types) do if part ~= 'h' then redis.call('UNLINK', base..part) end end
  length = 0
end
if change.gone then
  for part in pairs(types) do redis.call('UNLINK', base..part) end
  return {1, known[3] or ''}
end
if change.keep and change.keep < length then
  if change.keep == 0 then redis.call('UNLINK', base..'r') else redis.call('LTRIM', base..'r', 0, change.keep - 1) end
  for _, lane in ipairs({'m', 'c'}) do redis.call('ZREMRANGEBYSCORE', base..lane, change.keep, '+inf') end
  length = change.keep
end
local function text() nth = nth + 1; return ARGV[nth] end
for _, row in ipairs(change.rewrite) do redis.call('LSET', base..'r', row[1], row[2]..row[3]) end
for _, row in ipairs(change.rows) do
  redis.call('RPUSH', base..'r', row[2]..text())
  if row[2] ~= 'h' then redis.call('ZADD', base..row[2], row[1], row[1]) end
  length = length + 1
end
for _, item in ipairs(change.drop) do redis.call('HDEL', base..'x'..item[1], item[2]) end
for _, item in ipairs(change.put) do redis.call('HSET', base..'x'..item[1], item[2], text()) end
redis.call('HSET', base..'h', 's', change.stamp + 1, 'h', ARGV[2], 'n', sizes(), 'u', change.updated or 0)
if change.user then redis.call('HSET', base..'h', 'w', change.user) else redis.call('HDEL', base..'h', 'w') end
if expiry > 0 then
  local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + expiry)
  for part in pairs(types) do redis.call('PEXPIREAT', base..part, at) end
end
return {1, known[3] or ''}`,
);

/*
 * Keys of the index, all in one slot: `names` sorts threads by name, `times` by the negative time of their last change, `owners` maps threads to their users, and `user:<user>`
 * sorts the threads of a user by the same time.
 */

/** KEYS: those of the index, and that of the user. ARGV: the thread, its time or '' to remove it, its user or '', and the time before which threads have expired or ''. */
export const INDEX: Script = script(
  ["names", "times", "owners"],
  `
local base, name, time, user, expired = string.sub(KEYS[1], 1, -6), ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local function remove(one)
  local owner = redis.call('HGET', base..'owners', one)
  if owner then redis.call('ZREM', base..'user:'..owner, one) end
  redis.call('HDEL', base..'owners', one)
  redis.call('ZREM', base..'names', one)
  redis.call('ZREM', base..'times', one)
end
if expired ~= '' then
  for _, one in ipairs(redis.call('ZREVRANGEBYSCORE', base..'times', '+inf', '(-'..expired, 'LIMIT', 0, 20)) do remove(one) end
end
if time == '' then remove(name) return 1 end
local owner = redis.call('HGET', base..'owners', name)
if owner and owner ~= user then redis.call('ZREM', base..'user:'..owner, name); redis.call('HDEL', base..'owners', name) end
redis.call('ZADD', base..'names', 0, name)
redis.call('ZADD', base..'times', '-'..time, name)
if user ~= '' then redis.call('ZADD', base..'user:'..user, '-'..time, name); redis.call('HSET', base..'owners', name, user) end
return 1`,
);
