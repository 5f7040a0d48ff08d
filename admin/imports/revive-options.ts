import { html, nothing, type TemplateResult } from 'lit-html';
import { dumpCommand } from '../../src/imports/files/dump-command.ts';
import type { Fault } from '../../src/base/fault.ts';
import { checkBox } from '../parts/parts.ts';
import { t } from '../words/texts.ts';

const COMMAND = `${dumpCommand('rv_')} | gzip > revive.sql.gz`;

/** As they are typed. */
export interface ReviveOptions {
  prefix: string;
  agency: string;
  domain: string;
  currency: string;
  live: boolean;
}

interface Shown {
  /** Whether the import makes a publisher. */
  readonly isNew: boolean;
  readonly refused: readonly Fault[];
}

/** How a dump is made, and what it does not say. Options that the service asked for are open. */
export const reviveOptions = (options: ReviveOptions, { isNew, refused }: Shown): TemplateResult => {
  const asked = new Set(refused.map(({ pointer }) => pointer.slice(1)));
  const isAsked = ['prefix', 'agency', 'domain'].some((name) => asked.has(name));
  const text = (name: 'prefix' | 'agency' | 'domain' | 'currency', label: string, help: string, placeholder: string): TemplateResult =>
    html`<div class="field">
      <label for=${`import-${name}`}>${label}</label>
      <input
        id=${`import-${name}`}
        .value=${options[name]}
        placeholder=${placeholder}
        aria-invalid=${asked.has(name) ? 'true' : nothing}
        aria-describedby=${`import-${name}-help`}
        @input=${({ target }: InputEvent) => (options[name] = (target as HTMLInputElement).value)}
      />
      <small class="help" id=${`import-${name}-help`}>${help}</small>
    </div>`;
  return html`<details>
      <summary>${t`How to make the dump`}</summary>
      <p>
        ${t`On the server of Revive, with the name of its database. These are the tables that are read; a dump of all tables does as well, and is much larger.`}
      </p>
      <pre class="code" tabindex="0">${COMMAND}</pre>
    </details>
    <details ?open=${isAsked}>
      <summary>${t`What the dump may not say`}</summary>
      <div class="fields">
        ${text('agency', t`Manager account`, t`Its number, where there are several.`, '2')}
        ${text('prefix', t`Prefix of tables`, t`What the names of its tables begin with.`, 'rv_')}
        ${isNew ? text('domain', t`Domain`, t`Of the publisher, where no website has one.`, 'news.example') : nothing}
        ${isNew ? text('currency', t`Currency`, t`Amounts of Revive have none.`, 'USD') : nothing}
        ${checkBox(t`Without campaigns that have expired`, options.live, (isOn) => (options.live = isOn), 'wide')}
      </div>
    </details>`;
};
