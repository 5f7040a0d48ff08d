import type { Scope } from '../access/scope.ts';
import type { Fault } from '../base/fault.ts';
import { dayOf } from '../base/utc-day.ts';
import { readReportQuestion } from './report-question.ts';

/** The faults of the query of a report that is kept, as GET /api/reports would find them in a scope. */
export const queryFaults = (search: URLSearchParams, scope: Scope): readonly Fault[] => {
  const asked = readReportQuestion(search, dayOf(Date.now()), scope);
  return asked.ok ? [] : asked.faults.map(({ pointer, detail }) => ({ pointer: '/query', detail: `${pointer}: ${detail}` }));
};
