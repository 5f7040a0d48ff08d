import { html, type TemplateResult } from 'lit-html';
import type { Answered } from '../api/api.ts';
import type { Page } from '../page.ts';
import { card } from '../parts/parts.ts';
import { say, t } from '../words/texts.ts';
import type { Form } from './forms/form.ts';
import { textOf, textOrNull } from './forms/typed-text.ts';

type Finding = Answered<'POST', '/creative_checks'>[number];

/** After the last key. */
const QUIET_MS = 500;

/** What a platform would object to in a creative as its form has it. */
export const createCreativeChecks = (page: Page, form: Form): (() => TemplateResult | string) => {
  let asked = '';
  let findings: readonly Finding[] | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (body: Parameters<typeof bodyKey>[0]): Promise<void> => {
    const key = bodyKey(body);
    const answer = await page.api.send('POST', '/creative_checks', { body });
    // Something else was typed meanwhile, or what is typed is no creative yet: its faults are at the fields.
    if (key !== asked) return;
    findings = answer.ok ? answer.value : undefined;
    page.redraw();
  };
  return () => {
    if (!page.rights.may('POST', '/creative_checks')) return '';
    const body = {
      format: textOf(form.read('/format')) as 'html',
      content: textOf(form.read('/content')),
      click_url: textOrNull(form.read('/click_url')),
    };
    const key = bodyKey(body);
    if (key !== asked) {
      const isFirst = asked === '';
      asked = key;
      clearTimeout(timer);
      if (body.content.trim() !== '') timer = setTimeout(() => void ask(body), isFirst ? 0 : QUIET_MS);
      else findings = undefined;
    }
    return findings ? card(t`Checks`, shown(findings)) : '';
  };
};

const bodyKey = (body: { readonly format: 'html'; readonly content: string; readonly click_url: string | null }): string =>
  JSON.stringify(body);

const shown = (findings: readonly Finding[]): TemplateResult =>
  findings.length === 0
    ? html`<p class="checks-fine">${t`Light, calm, encrypted and readable: platforms take it.`}</p>`
    : html`<p class="help">${t`It serves all the same. A platform would object, because it`}</p>
        <ul class="checks">
          ${findings.map(({ detail }) => finding(detail))}
        </ul>`;

/** What is wrong, and what to do, as two lines. */
const finding = (detail: string): TemplateResult => {
  const words = say(detail);
  const at = words.lastIndexOf(': ');
  return at < 0 ? html`<li>${words}</li>` : html`<li><b>${words.slice(0, at)}</b><br />${upper(words.slice(at + 2))}.</li>`;
};

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
