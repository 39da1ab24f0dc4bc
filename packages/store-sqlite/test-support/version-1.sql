CREATE TABLE threads (
    thread INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    head TEXT,
    parent INTEGER,
    shared INTEGER NOT NULL,
    deleted INTEGER NOT NULL
  );
CREATE INDEX threads_by_parent ON threads (parent) WHERE parent IS NOT NULL;
CREATE TABLE entries (
    thread INTEGER NOT NULL,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    json TEXT NOT NULL,
    tokens TEXT,
    sum INTEGER NOT NULL
  );
CREATE UNIQUE INDEX entries_by_position ON entries (thread, position);
CREATE UNIQUE INDEX entries_by_id ON entries (thread, id);
CREATE TABLE facts (thread INTEGER NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL);
CREATE UNIQUE INDEX facts_by_key ON facts (thread, key);
CREATE TABLE refs (
    thread INTEGER NOT NULL,
    stream TEXT NOT NULL,
    key INTEGER NOT NULL,
    previous INTEGER NOT NULL,
    refs TEXT NOT NULL
  );
CREATE UNIQUE INDEX refs_by_key ON refs (thread, stream, key);
CREATE TABLE streams (thread INTEGER NOT NULL, stream TEXT NOT NULL, last INTEGER NOT NULL);
CREATE UNIQUE INDEX streams_by_name ON streams (thread, stream);
CREATE TABLE summaries (
    nth INTEGER PRIMARY KEY AUTOINCREMENT,
    thread INTEGER NOT NULL,
    id TEXT NOT NULL,
    view TEXT NOT NULL,
    json TEXT NOT NULL,
    sum INTEGER NOT NULL
  );
CREATE UNIQUE INDEX summaries_by_id ON summaries (thread, id);
CREATE INDEX summaries_by_view ON summaries (thread, view, nth);
CREATE TABLE views (
    thread INTEGER NOT NULL,
    view TEXT NOT NULL,
    state TEXT NOT NULL,
    view_revision INTEGER NOT NULL
  );
CREATE UNIQUE INDEX views_by_name ON views (thread, view);
CREATE TABLE state (
    thread INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    revision INTEGER NOT NULL
  );
CREATE UNIQUE INDEX state_by_key ON state (thread, key);
INSERT INTO threads VALUES (1, 't', 8, '{"format":1,"version":8,"hasUsers":true,"turns":{"newest":1,"isBegun":true,"isInRow":true,"start":5,"phases":[],"isFull":false},"taskDoubt":-1,"pairDoubt":-1,"crossed":-1,"stray":-1,"late":-1,"task":2}', NULL, 0, 0);
INSERT INTO threads VALUES (2, 't/fork', 6, '{"format":1,"version":6,"hasUsers":true,"turns":{"newest":1,"isBegun":true,"isInRow":true,"start":5,"phases":[],"isFull":false},"taskDoubt":-1,"pairDoubt":-1,"crossed":-1,"stray":-1,"late":-1,"task":2}', 1, 5, 0);
INSERT INTO threads VALUES (3, 'gone', 0, NULL, NULL, 0, 1);
INSERT INTO entries VALUES (1, 0, 'a', '{"v":1,"type":"user_message","id":"a","createdAtMs":0,"content":"message a"}', '[["o200k",3]]', 4201607292);
INSERT INTO entries VALUES (1, 1, 'b', '{"v":1,"type":"user_message","id":"b","createdAtMs":0,"content":"message b"}', '[["o200k",4]]', 700047154);
INSERT INTO entries VALUES (1, 2, 'k', '{"v":1,"type":"task","id":"k","createdAtMs":0,"agent":{"id":"w","role":"worker"},"content":"Read."}', NULL, 733547688);
INSERT INTO entries VALUES (1, 3, 'call', '{"v":1,"type":"action","id":"call","createdAtMs":0,"taskId":"k","agent":{"id":"w","role":"worker"},"toolCalls":[{"id":"c1","name":"read","arguments":"{}"}]}', NULL, 4086846307);
INSERT INTO entries VALUES (1, 4, 'result', '{"v":1,"type":"observation","id":"result","createdAtMs":0,"taskId":"k","agent":{"id":"w","role":"worker"},"callId":"c1","toolName":"read","outcome":"success","content":"It''s here."}', NULL, 519728153);
INSERT INTO entries VALUES (1, 5, 'c', '{"v":1,"type":"user_message","id":"c","createdAtMs":0,"content":"message c"}', NULL, 2527058648);
INSERT INTO entries VALUES (1, 6, '__proto__', '{"v":1,"type":"user_message","id":"__proto__","createdAtMs":0,"content":"message __proto__"}', NULL, 2079158137);
INSERT INTO entries VALUES (1, 7, '\ud83d', '{"v":1,"type":"user_message","id":"\ud83d","createdAtMs":0,"content":"message \ud83d"}', NULL, 588411547);
INSERT INTO entries VALUES (2, 5, 'own', '{"v":1,"type":"user_message","id":"own","createdAtMs":0,"content":"message own"}', NULL, 3498966047);
INSERT INTO facts VALUES (1, 'message:a', '0');
INSERT INTO facts VALUES (1, 'message:b', '1');
INSERT INTO facts VALUES (1, 'task:k', '{"at":2,"turn":0}');
INSERT INTO facts VALUES (1, 'agent:w', '{"open":[],"task":{"at":2,"turn":0}}');
INSERT INTO facts VALUES (1, 'message:c', '5');
INSERT INTO facts VALUES (1, 'message:__proto__', '6');
INSERT INTO facts VALUES (1, 'message:\ud83d', '7');
INSERT INTO facts VALUES (2, 'message:a', '0');
INSERT INTO facts VALUES (2, 'message:b', '1');
INSERT INTO facts VALUES (2, 'task:k', '{"at":2,"turn":0}');
INSERT INTO facts VALUES (2, 'agent:w', '{"open":[],"task":{"at":2,"turn":0}}');
INSERT INTO facts VALUES (2, 'message:own', '5');
INSERT INTO refs VALUES (1, 'all', 2, 0, 'hEAAAAmChEBAAAmC');
INSERT INTO refs VALUES (1, 'conversation', 2, 0, 'hEAAAAmChEBAAAmC');
INSERT INTO refs VALUES (1, 'all', 5, 2, 'DCAAA9CkBBACA2EAlBBADAvFB');
INSERT INTO refs VALUES (1, 'agent:w', 5, 0, 'jCCAAA9CkDBACA2EAlDBADAvFB');
INSERT INTO refs VALUES (1, 'all', 8, 5, 'hEFCAAmChEBAAA2ChEBAAAwC');
INSERT INTO refs VALUES (1, 'conversation', 8, 2, 'hEFCAAmChEBAAA2ChEBAAAwC');
INSERT INTO refs VALUES (2, 'all', 5, 0, 'hEAAAAmChEBAAAmCDBAAA9CkBBACA2EAlBBADAvFB');
INSERT INTO refs VALUES (2, 'conversation', 2, 0, 'hEAAAAmChEBAAAmC');
INSERT INTO refs VALUES (2, 'agent:w', 5, 0, 'jCCAAA9CkDBACA2EAlDBADAvFB');
INSERT INTO refs VALUES (2, 'all', 6, 5, 'hEFCAAqC');
INSERT INTO refs VALUES (2, 'conversation', 6, 2, 'hEFCAAqC');
INSERT INTO streams VALUES (1, 'all', 8);
INSERT INTO streams VALUES (1, 'conversation', 8);
INSERT INTO streams VALUES (1, 'agent:w', 5);
INSERT INTO streams VALUES (2, 'all', 6);
INSERT INTO streams VALUES (2, 'conversation', 6);
INSERT INTO streams VALUES (2, 'agent:w', 5);
INSERT INTO summaries VALUES (1, 1, 'z', 'conversation', '{"v":1,"type":"summary","id":"z","createdAtMs":0,"content":"","strategy":"whole","trust":"user","view":"conversation","covers":[{"from":"a","to":"b"}]}', 406887542);
INSERT INTO summaries VALUES (2, 2, 'z', 'conversation', '{"v":1,"type":"summary","id":"z","createdAtMs":0,"content":"","strategy":"whole","trust":"user","view":"conversation","covers":[{"from":"a","to":"b"}]}', 406887542);
INSERT INTO views VALUES (1, 'conversation', '{"format":1,"count":1,"version":8,"runs":[[0,1]],"shown":[{"id":"z","at":0,"bytes":145}],"turns":{"from":0,"offset":0,"looseTurn":-1,"looseTalk":-1},"isSplit":false,"goneTasks":{"at":[],"from":0}}', 1);
INSERT INTO views VALUES (2, 'conversation', '{"format":1,"count":1,"version":5,"runs":[[0,1]],"shown":[{"id":"z","at":0,"bytes":145}],"isSplit":false,"goneTasks":{"at":[],"from":0}}', 0);
INSERT INTO state VALUES (1, 'plan', '{"next":7}', 1);
PRAGMA application_id = 1634232691;
PRAGMA user_version = 1;
