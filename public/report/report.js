/* Shows the report of a read-only link. */
(() => {
  'use strict';
  const { locale, say, ready } = window.reportWords;
  const { at, day, callsOf, refuse, away, faultOf } = window.linkPage;
  const ask = callsOf('shared_report');

  const numbers = {
    count: new Intl.NumberFormat(locale, { maximumFractionDigits: 0 }),
    share: new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 }),
  };
  /** Above the table. */
  const MAX_FIGURES = 5;
  const isFigure = ({ kind }) => kind in numbers || kind === 'money';
  const money = (amount, currency) => new Intl.NumberFormat(locale, { style: 'currency', currency }).format(amount ?? 0);
  const show = (value, { kind, name }) => {
    if (kind in numbers) return numbers[kind].format(value ?? 0);
    if (value === null || value === undefined || value === '') return name === 'reason' ? say('none') : say('unknown');
    return kind === 'hour' ? String(value).slice(0, 16).replace('T', ' ') : String(value);
  };

  const line = (tag, columns, textOf) => {
    const row = document.createElement('tr');
    for (const column of columns) {
      const cell = document.createElement(tag);
      cell.textContent = textOf(column);
      if (tag === 'th') cell.scope = 'col';
      if (isFigure(column)) cell.className = 'numeric';
      row.append(cell);
    }
    return row;
  };

  const fill = ({ columns, rows, totals, totals_by_currency: byCurrency, currency, row_count, from, to, time_zone }, headers) => {
    const title = decodeURIComponent(headers.get('x-report-title') ?? say('Report'));
    const shown = columns.filter(({ kind }) => kind !== 'id');
    const textOf = (row, column) => {
      if (column.kind === 'money') return money(row[column.name], row.currency ?? currency);
      return column.kind === 'name' && !row[column.name] ? `#${row[`${column.name}_id`] ?? '–'}` : show(row[column.name], column);
    };
    /** Amounts of several currencies are not added. */
    const totalOf = (column) =>
      column.kind === 'money' && currency === null ? byCurrency.map((one) => textOf(one, column)).join(', ') : textOf(totals, column);
    document.title = title;
    at('title').textContent = title;
    const until = day(headers.get('x-report-expires') ?? '');
    at('about').textContent = say('{0} to {1}, days of {2}', day(from), day(to), time_zone);
    at('note').textContent = say('Figures without “gross” or “filtered” are net of invalid traffic. This link ends on {0}.', until);
    at('note').hidden = false;
    const figures = columns.filter(isFigure).slice(0, MAX_FIGURES);
    at('figures').replaceChildren(
      ...figures.map((column) => {
        const [box, label, figure] = ['div', 'dt', 'dd'].map((tag) => document.createElement(tag));
        label.textContent = say(column.label);
        figure.textContent = totalOf(column);
        box.append(label, figure);
        return box;
      }),
    );
    at('figures').hidden = rows.length === 0;
    if (rows.length === 0) {
      at('state').textContent = say('Nothing was counted in these days.');
      return;
    }
    const head = document.createElement('thead');
    head.append(line('th', shown, ({ label }) => say(label)));
    const body = document.createElement('tbody');
    const sum = line('td', shown, (column) => (isFigure(column) ? totalOf(column) : column === shown[0] ? say('All') : ''));
    sum.className = 'sum';
    body.append(sum, ...rows.map((row) => line('td', shown, (column) => textOf(row, column))));
    at('table').replaceChildren(head, body);
    at('frame').hidden = false;
    at('all').hidden = false;
    at('files').hidden = false;
    at('state').hidden = true;
    at('more').hidden = rows.length >= row_count;
    at('more').textContent = say('The first {0} of {1} rows are shown. The CSV file has all of them.', rows.length, row_count);
  };

  const refused = async (answer) => refuse(faultOf(await answer.json().catch(() => ({})), answer.status));

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  /** Readers of one link take turns. */
  const askInTurn = async (path) => {
    for (let tries = 0; ; tries++) {
      const answer = await ask(path);
      if (answer.status !== 429 || tries >= 15) return answer;
      await pause(1000);
    }
  };

  const load = async () => {
    const answer = await askInTurn('?format=json&limit=1000');
    if (!answer.ok) return refused(answer);
    fill(await answer.json(), answer.headers);
    // The report stands without what is shown around it.
    const around = await askInTurn('/campaigns');
    if (around.ok) window.showCampaigns(await around.json());
  };
  const save = async (format) => {
    const answer = await askInTurn(`?format=${format}`);
    if (!answer.ok) return refused(answer);
    const url = URL.createObjectURL(await answer.blob());
    Object.assign(document.createElement('a'), { href: url, download: `report.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  for (const button of document.querySelectorAll('[data-format]'))
    button.addEventListener('click', () => save(button.dataset.format).catch(away));
  at('print').addEventListener('click', () => window.print());
  ready.then(load).catch(away);
})();
