import type { Rights } from './api/rights.ts';
import { KINDS, type Kind } from './api/wire.ts';
import type { IconName } from './parts/icons.ts';
import { parseRoute } from './route.ts';
import { NAMES } from './words/kinds.ts';
import { t } from './words/texts.ts';

/** A screen of the navigation, which is also the name of its icon. */
export interface Screen {
  readonly name: IconName;
  readonly label: string;
  /** What it cannot do without. */
  readonly isAllowed: (rights: Rights) => boolean;
  /** Whether the navigation has it, too; absent: it has. */
  readonly isListed?: (rights: Rights) => boolean;
}

export interface ScreenGroup {
  readonly label?: string;
  readonly screens: readonly Screen[];
}

/** Of these, people of advertisers see what their bookings name, and no list of their own. */
const OF_STAFF: readonly Kind[] = ['bidders', 'placements'];

/** Whether the navigation has a screen. */
export const isInNavigation = ({ isAllowed, isListed = always }: Screen, rights: Rights): boolean => isAllowed(rights) && isListed(rights);

const always = (): boolean => true;

/** All screens, in the groups of the navigation; the API has a page of its own. */
export const SCREEN_GROUPS: readonly ScreenGroup[] = [
  {
    screens: [
      { name: 'overview', label: t`Home`, isAllowed: always },
      { name: 'inbox', label: t`Inbox`, isAllowed: ({ me }) => me.kind === 'person' },
      { name: 'timeline', label: t`Timeline`, isAllowed: ({ may }) => may('GET', '/line_items') },
      { name: 'availability', label: t`Availability`, isAllowed: ({ may }) => may('GET', '/availability') },
    ],
  },
  {
    label: t`Results`,
    screens: [
      { name: 'reports', label: t`Reports`, isAllowed: ({ may }) => may('GET', '/reports') },
      { name: 'finance', label: t`Finance`, isAllowed: ({ may }) => may('GET', '/finance') },
    ],
  },
  {
    label: t`Set-up`,
    screens: [
      ...KINDS.map((kind): Screen => ({
        ...{ name: kind, label: NAMES[kind].many, isAllowed: ({ may }) => may('GET', `/${kind}`) },
        isListed: ({ me }) => me.advertisers === null || !OF_STAFF.includes(kind),
      })),
      { name: 'files', label: t`Files`, isAllowed: ({ may }) => may('GET', '/assets') },
      { name: 'imports', label: t`Imports`, isAllowed: ({ may }) => may('GET', '/imports') },
    ],
  },
  {
    label: t`Check`,
    screens: [
      { name: 'test', label: t`Test an ad`, isAllowed: ({ may }) => may('POST', '/test_ad') },
      { name: 'alerts', label: t`Alerts`, isAllowed: ({ may }) => may('GET', '/alerts') },
      {
        ...{ name: 'media_buys', label: t`Media buys`, isAllowed: ({ may }) => may('GET', '/media_buys') },
        isListed: ({ me }) => me.sells_to_agents,
      },
      { name: 'approvals', label: t`Approvals`, isAllowed: ({ may }) => may('GET', '/approvals') },
      { name: 'complaints', label: t`Complaints`, isAllowed: ({ may }) => may('GET', '/complaints') },
      { name: 'people', label: t`People`, isAllowed: ({ may }) => may('GET', '/people') },
      { name: 'history', label: t`History`, isAllowed: ({ may }) => may('GET', '/audit') },
    ],
  },
];

/** A screen by the first step of its address. */
export const screenNamed = (name: string): Screen | undefined =>
  SCREEN_GROUPS.flatMap(({ screens }) => screens).find((one) => one.name === name);

/** Whether an address leads to something that the person may use: a screen, or the form of a new record. */
export const mayOpen = (rights: Rights, hash: string): boolean => {
  const [name = 'overview', id, verb] = parseRoute(hash).parts;
  const kind = KINDS.find((one) => one === name);
  if (kind && id === 'new' && !rights.may('POST', `/${kind}`)) return false;
  if (name === 'campaigns' && verb === 'book' && !rights.may('POST', '/bookings')) return false;
  if (name === 'people' && id === 'new' && !rights.may('POST', '/people')) return false;
  if (name === 'roles') return id === undefined ? rights.managesAll : rights.may('POST', '/roles');
  if (name === 'report_links') return rights.may('GET', '/report_links') || rights.may('GET', '/proof_links');
  if (name === 'tokens') return rights.may('POST', '/tokens');
  return screenNamed(name)?.isAllowed(rights) ?? true;
};
