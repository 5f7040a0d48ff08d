import { nothing, type TemplateResult } from 'lit-html';
import type { LineItemStatus } from '../../src/delivery/status/status.ts';
import type { Page } from '../page.ts';
import { button } from '../parts/parts.ts';
import { t } from '../words/texts.ts';

/** What people ask of a status, and the question of the help that answers it. */
const ASKED: Readonly<Partial<Record<LineItemStatus['value'], readonly [label: string, id: string]>>> = {
  behind: [t`Why is it behind?`, 'behind'],
  outranked: [t`Why is it outranked?`, 'outranked'],
  'cannot serve': [t`Why can it not serve?`, 'cannot-serve'],
};

/** The way to the answer, beside a status that raises a question. */
export const statusHelp = (page: Page, { value }: LineItemStatus): TemplateResult | typeof nothing => {
  const asked = ASKED[value];
  return asked ? button(asked[0], () => page.help(asked[1]), 'quiet') : nothing;
};
