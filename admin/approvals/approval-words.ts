import type { Fault } from '../../src/base/fault.ts';
import type { Answered } from '../api/api.ts';
import { mayApprove } from '../api/inbox.ts';
import type { Kind } from '../api/wire.ts';
import { differencesOf, type Difference } from '../bookings/forms/differences.ts';
import { labelOf } from '../bookings/forms/entity-fields.ts';
import type { Page } from '../page.ts';
import { currencyOfCampaign, currencyOfPublisher } from '../words/currency.ts';
import { monthAndYear } from '../words/dates.ts';
import { capital, kindNamed, NAMES, titleIn } from '../words/kinds.ts';
import { say, t } from '../words/texts.ts';

export type Approval = Answered<'GET', '/approvals'>[number];
export type ProposedChange = Approval['changes'][number];

/** `Line item “Boots”`, `A new line item “Boots”`, `October 2026`. */
export const changeTitle = (change: ProposedChange): string => {
  const { entity, id, before, after } = change;
  const month = closedMonth(change);
  if (month !== undefined) return t`Close ${monthAndYear(month)}`;
  const name = (after ?? before)?.['name'];
  const quoted = typeof name === 'string' && name !== '' ? ` “${name}”` : '';
  const kind = kindNamed(entity);
  if (id === null && kind) return t`New ${NAMES[kind].one}${quoted}`;
  return `${capital(say(entity.replaceAll('_', ' ')))}${quoted || ` ${id}`}`;
};

/** The month that is closed; undefined: it is another change. */
export const closedMonth = ({ after }: ProposedChange): string | undefined => after?.['month_closed'] as string | undefined;

export const approvalTitle = ({ changes }: Approval): string => changes.map(changeTitle).join(', ');

/** What a change does, field by field. */
export const changeFields = (page: Page, { entity, before, after }: ProposedChange): readonly Difference[] => {
  const kind = kindNamed(entity);
  if (!kind || !after) return [];
  const nameOf = (parent: Kind, id: string): string => titleIn(page.store, parent, id, `${NAMES[parent].one} ${id}`);
  const { campaign_id: campaign, publisher_id: publisher } = after as Readonly<Record<string, unknown>>;
  const currency =
    typeof campaign === 'number' ? currencyOfCampaign(page.store, campaign) : currencyOfPublisher(page.store, Number(publisher) || null);
  const fields = differencesOf(kind, before, after, nameOf, currency);
  const isUnblocked = before?.['blocked_at'] != null && after['blocked_at'] == null;
  return isUnblocked ? [{ label: t`Blocked`, before: t`yes`, after: t`no` }, ...fields] : fields;
};

/** `CPM is below 2 USD`: why a second person is needed. @param kindAt the kind of an operation */
export const reasonWords = ({ pointer, detail }: Fault, kindAt: (index: number) => Kind | undefined): string => {
  const [, index = '0', field = ''] = /^(?:\/operations\/(\d+)(?:\/body)?)?\/?(\w*)/.exec(pointer) ?? [];
  const kind = kindAt(Number(index));
  const label = field === '' ? '' : labelOf(kind, field);
  return label === '' ? `${capital(detail)}.` : `${label} ${detail}.`;
};

/** The reasons of a proposal, each once. */
export const reasonsOf = ({ reasons, changes }: Approval): readonly string[] => [
  ...new Set(reasons.map((reason) => reasonWords(reason, (index) => kindNamed(changes[index]?.entity ?? '')))),
];

export const STATE_WORDS: Readonly<Record<Approval['state'], readonly [words: string, tone: string]>> = {
  open: [t`waits`, 'warn'],
  approved: [t`approved`, 'good'],
  sent_back: [t`sent back`, 'bad'],
  withdrawn: [t`withdrawn`, 'quiet'],
  expired: [t`expired`, 'quiet'],
};

/** Whether a proposal waits for the person at the page: someone else's, which they may approve. */
export const waitsForMe = ({ rights }: Page, approval: Approval): boolean =>
  approval.state === 'open' && !isMine({ rights }, approval) && mayApprove(rights);

/** Whether the person, or the token, at the page has proposed it. */
export const isMine = ({ rights: { me } }: Pick<Page, 'rights'>, { proposed_by: by }: Approval): boolean => by === (me.email ?? me.name);
