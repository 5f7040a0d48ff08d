import { judgeContent } from '../../src/events/books/judge-content.ts';
import type { BookEpoch } from '../../src/events/postgres/book-store.ts';
import type { BooksContent } from '../../src/ledger/books/books-server.ts';

const ROW: BookEpoch = { scope: 0, epoch: 'e1', state: 'open', server: 'run1 repl1', openedMs: 0, reason: '', behind: false };
const CONTENT: BooksContent = {
  ...{ server: 'run1 repl1', trusted: 'e1', epoch: 'e1', state: 'open', markMs: 5_000, isUsed: true, nowMs: 6_000 },
};
const EMPTY = { trusted: '', epoch: '', state: '', markMs: 0 } as const;

test.each<[what: string, row: BookEpoch | undefined, changes: Partial<BooksContent>, verdict: string, reason: string]>([
  ['the process that has had everything', ROW, {}, 'fine', 'behind'],
  ['that process, at which a new release looks', ROW, { trusted: '' }, 'trust', 'behind'],
  ['that process after FLUSHALL', ROW, { ...EMPTY, trusted: 'e1' }, 'begin', 'empty'],
  ['a process that was started with data', ROW, { trusted: '', server: 'run2 repl2' }, 'begin', 'restarted'],
  ['a process that another master has synchronized', ROW, { trusted: '', server: 'run1 repl2' }, 'begin', 'restarted'],
  ['an empty disk', ROW, { ...EMPTY, server: 'run2 repl2' }, 'begin', 'empty'],
  ['an older copy', ROW, { trusted: '', epoch: 'e0', server: 'run2 repl2' }, 'begin', 'older'],
  ['a new installation', undefined, { ...EMPTY, isUsed: false }, 'begin', 'first'],
  ['counters of a release without epochs', undefined, EMPTY, 'begin', 'adopted'],
  ['another epoch, and Postgres knows of no later moment', ROW, { epoch: 'e2', trusted: 'e2', markMs: 9_000 }, 'follow', 'behind'],
  ['a restored Postgres that knows no epoch', undefined, { markMs: 9_000 }, 'follow', 'behind'],
])('%s', (_what, row, changes, verdict, reason) => {
  expect(judgeContent(row, { ...CONTENT, ...changes }, 5_000)).toMatchObject({ verdict, reason });
});

test('Postgres is behind when Redis knows a moment that it does not, whatever has become of the process', () => {
  expect(judgeContent(ROW, { ...CONTENT, markMs: 5_001 }, 5_000)).toMatchObject({ verdict: 'fine', behind: true });
  expect(judgeContent(ROW, { ...CONTENT, markMs: 5_001, trusted: '', server: 'run2 repl2' }, 5_000)).toMatchObject({
    ...{ verdict: 'trust', behind: true },
  });
  expect(judgeContent(ROW, CONTENT, 5_000)).toMatchObject({ behind: false });
});
