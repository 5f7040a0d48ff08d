import type { Scope } from '../access/scope.ts';
import type { RecordReach } from '../api/call-rights.ts';
import { answer, refuseWith, type Handlers } from '../api/route.ts';
import { problem } from '../http/problems/problem.ts';
import type { BULK_API } from './bulk-api.ts';
import { faultsAt, readOperation, refusalOf, runnerOf, type Step } from './bulk-steps.ts';
import type { CatalogWriter } from './catalog-writer.ts';
import type { EntityRecord } from './entity-kind.ts';
import { shownRecord } from './shown-fields.ts';
import { answerOfWrite, type Written } from './written.ts';

/** Writes in one transaction, with one result each. One that is refused undoes all. */
export const bulkRoutes = (writer: CatalogWriter, reach: RecordReach): Handlers<typeof BULK_API> => ({
  changeRecords: async ({ body }, { caller }) => {
    const steps = body.operations.map(readOperation);
    const written = await writer.together(await runnerOf(steps, caller, reach));
    const refused = written.filter(({ ok }) => !ok).length;
    if (refused === 0) return answer({ results: written.map((one, i) => resultOf(one, steps[i], caller)) });
    const detail = `${refused} of ${written.length} operations were refused; nothing was changed.`;
    const faults = written.flatMap((one, i) => (one.ok ? [] : faultsAt(i, one, steps[i])));
    return refuseWith({
      ...problem('bulk_refused', detail, faults),
      results: written.map((one, i) => (one.ok ? NOT_DONE : resultOf(one, steps[i], caller))),
    });
  },
});

/** Accepted, and undone because another operation was refused (RFC 4918, section 11.4). */
const NOT_DONE = { status: 424 };

const resultOf = (written: Written, step: Step | undefined, scope: Scope): { readonly status: number; readonly body?: EntityRecord } => {
  if (!written.ok) {
    const body = refusalOf(written, step);
    return { status: body.status, body: { ...body } };
  }
  const { status = 200 } = step ?? {};
  const record = step ? shownRecord(scope, step.kind, written.record) : written.record;
  return status === 204 ? { status } : { status, body: answerOfWrite({ ...written, record }) };
};
