import { language } from './language.ts';
import { say, t } from './texts.ts';

/** What to do, by the code of a problem: where its own words are in another language than the page. */
const REMEDIES: Readonly<Record<string, string>> = {
  invalid_request: t`Correct what is marked, and save again.`,
  bulk_refused: t`Nothing was changed. Correct what is named, and try again.`,
  admin_unauthorized: t`Sign in again.`,
  forbidden: t`Your role does not allow this. Ask an administrator if you need it.`,
  not_found: t`It may have been deleted. Go back to the list.`,
  conflict: t`Another record or change is in the way. Load the page again, and check what is there.`,
  assets_full: t`Delete files that no creative uses, or ask the operator for more room.`,
  parent_fixed: t`It was served already. Create a copy where it should belong.`,
  approval_required: t`A second person has to approve this. Propose the change.`,
  precondition_failed: t`Someone else has changed it meanwhile. Load it again, and repeat your change.`,
  body_too_large: t`It is too large. Make it smaller, and try again.`,
  too_many_requests: t`Wait a moment, then try again.`,
  internal: t`Try again. If it happens again, tell an administrator.`,
  unavailable: t`Try again in a moment.`,
};

/** The words of a problem; in another language than English what to do, and then the service's own words, which are exact. */
export const detailWords = (code: string, detail: string): string => {
  const said = say(detail);
  const remedy = REMEDIES[code];
  return language === 'en' || said !== detail || remedy === undefined ? said : `${remedy} (${detail})`;
};
