import { html, nothing, type TemplateResult } from 'lit-html';
import { LANGUAGES, type Preferences } from '../../src/people/preferences/preferences.ts';
import type { Page } from '../page.ts';
import { card } from '../parts/parts.ts';
import { applyLooks, keepPreferences, keptPreferences, needsReload } from '../words/kept-preferences.ts';
import { say, t } from '../words/texts.ts';

type Name = keyof Preferences;

/** What the texts and times of the page were made with. */
const DRAWN = keptPreferences();

interface Option {
  readonly value: string;
  readonly label: string;
}

const OF_BROWSER = { value: '', label: t`As the browser` };
const SCHEME_LABELS = { system: t`As the system`, light: t`Light`, dark: t`Dark` } as const;
const DENSITY_LABELS = { comfortable: t`Comfortable`, compact: t`Compact` } as const;

const optionsOf = (labels: Readonly<Record<string, string>>): readonly Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));
const zones = (): readonly Option[] => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((value) => ({ value, label: value }));

/** Choices are saved one after another: each builds on those before it, also while one is still on its way. */
let saving: Promise<void> = Promise.resolve();
let waiting = 0;

const save = async (page: Page, change: Partial<Preferences>): Promise<void> => {
  const kept = keptPreferences();
  const chosen = { ...kept, ...change };
  if (page.rights.me.kind === 'person') {
    const answer = await page.api.send('PUT', '/me/preferences', { body: chosen });
    if (!answer.ok) return page.complain(answer.problem);
  }
  keepPreferences(chosen);
  applyLooks(chosen);
  page.redraw();
};

/** How the page looks for who uses it: stored with a person, kept in the browser for a token. A choice applies when it is made. */
export const preferencesCard = (page: Page): TemplateResult => {
  const kept = keptPreferences();
  const choose = async (name: Name, value: string): Promise<void> => {
    waiting += 1;
    saving = saving.then(() => save(page, { [name]: value === '' ? null : value }));
    await saving;
    waiting -= 1;
    if (waiting === 0 && needsReload(DRAWN, keptPreferences())) location.reload();
  };
  const choice = (name: Name, label: string, options: readonly Option[]): TemplateResult =>
    html`<label
      >${label}<select @change=${({ target }: Event) => void choose(name, (target as HTMLSelectElement).value)}>
        ${options.map(({ value, label: shown }) => html`<option value=${value} ?selected=${value === (kept[name] ?? '')}>${say(shown)}</option>`)}
      </select></label
    >`;
  return card(
    t`How the page looks`,
    html`<div class="preferences">
        ${choice('language', t`Language`, [OF_BROWSER, ...optionsOf(LANGUAGES)])}
        ${choice('time_zone', t`Time zone`, [OF_BROWSER, ...zones()])} ${choice('scheme', t`Colours`, optionsOf(SCHEME_LABELS))}
        ${choice('density', t`Density`, optionsOf(DENSITY_LABELS))}
      </div>
      <p class="help">
        ${t`Times are shown in this zone. Days of a publisher are those of its own time zone, which reports and statements name.`}
        ${page.rights.me.kind === 'person' ? nothing : t`Kept in this browser.`}
      </p>`,
  );
};
