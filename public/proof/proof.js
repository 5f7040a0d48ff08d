/* Shows the ads of a link to its readers, who approve them, ask for changes, or comment. The token is the fragment of the address. */
(() => {
  'use strict';
  const { locale, say, ready } = window.reportWords;
  const { at, day, element, callsOf, refuse, away, faultOf, showPublishers, showLooks, adFigure } = window.linkPage;
  const ask = callsOf('shared_proof');
  const KEPT_NAME = 'proof-author';
  const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const when = (text) => moment.format(new Date(text));

  const wordsOfFault = async (answer) => {
    const problem = await answer.json().catch(() => ({}));
    return problem.errors?.[0]?.pointer === '/author' ? say('Enter your name first.') : faultOf(problem, answer.status);
  };

  /** A browser may forbid to keep it. */
  const keptName = () => {
    try {
      return localStorage.getItem(KEPT_NAME) ?? '';
    } catch {
      return '';
    }
  };
  const keepName = (name) => {
    try {
      localStorage.setItem(KEPT_NAME, name);
    } catch {
      // It is asked for again.
    }
  };

  const wordsOf = {
    approved: (author) => say('Approved by {0}', author),
    changes: (author) => say('{0} asks for changes', author),
  };
  const verdictPill = ({ verdict }) =>
    verdict === null
      ? element('span', { className: 'verdict', text: say('Waiting for your answer') })
      : element('span', { className: `verdict ${verdict.verdict}`, text: wordsOf[verdict.verdict](verdict.author) });

  const previews = ({ name, previews: sizes }) => element('div', { className: 'creatives' }, ...sizes.map((size) => adFigure(name, size)));

  const remark = ({ author, at: saidAt, verdict, text, is_current: isCurrent }) =>
    element(
      'li',
      {},
      element(
        'p',
        { className: 'when' },
        element('b', { text: verdict === null ? author : wordsOf[verdict](author) }),
        ` · ${when(saidAt)}${isCurrent || verdict === null ? '' : ` · ${say('about an earlier version')}`}`,
      ),
      ...(text === '' ? [] : [element('p', { className: 'words', text })]),
    );

  /** The field and buttons below an ad. @param onSaid with the ad as it is now */
  const answerForm = (creative, load) => {
    const id = `say-${creative.id}`;
    const text = element('textarea', { id, rows: 2, maxLength: 4000 });
    const fault = element('p', { className: 'fault', role: 'alert', hidden: true });
    const complain = (words) => {
      fault.textContent = words;
      fault.hidden = false;
    };
    const send = async (verdict) => {
      const author = at('author').value.trim();
      at('author').setAttribute('aria-invalid', String(author === ''));
      if (author === '') {
        at('author').focus();
        return complain(say('Enter your name first.'));
      }
      if (verdict !== 'approved' && text.value.trim() === '') {
        text.focus();
        return complain(verdict === null ? say('Write your comment first.') : say('Write what has to change first.'));
      }
      keepName(author);
      for (const button of buttons) button.disabled = true;
      const body = { creative_id: creative.id, author, text: text.value, verdict, version: creative.version };
      const answer = await ask('/remarks', body).catch(() => undefined);
      for (const button of buttons) button.disabled = false;
      if (!answer) return complain(say('The service did not answer. Try again later.'));
      if (!answer.ok) {
        const words = await wordsOfFault(answer);
        // It shows something else by now, which is to be looked at.
        if (answer.status === 409) await load(creative.id, words, text.value);
        return complain(words);
      }
      await load(creative.id);
    };
    const button = (words, verdict, className = '') => {
      const made = element('button', { type: 'button', text: words, className });
      made.addEventListener('click', () => void send(verdict));
      return made;
    };
    const buttons = [
      button(say('Approve'), 'approved', 'main'),
      button(say('Ask for changes'), 'changes'),
      button(say('Comment only'), null),
    ];
    return {
      complain,
      text,
      form: element(
        'div',
        { className: 'say' },
        element('label', { htmlFor: id, text: say('Comment, or what has to change') }),
        text,
        element('div', { className: 'buttons' }, ...buttons),
        fault,
      ),
    };
  };

  const section = (creative, load) => {
    known.set(creative.id, creative);
    const answer = answerForm(creative, load);
    const link = creative.click_url;
    const leads =
      link === null
        ? element('p', { className: 'leads', text: say('A click follows the link of the ad.') })
        : element(
            'p',
            { className: 'leads' },
            `${say('A click leads to')} `,
            element('a', { href: link, target: '_blank', rel: 'noreferrer noopener', text: link }),
          );
    const made = element(
      'section',
      { className: 'campaign', id: `ad-${creative.id}` },
      element('div', { className: 'head' }, element('h2', { text: creative.name }), verdictPill(creative)),
      leads,
      previews(creative),
      ...(creative.remarks.length > 0 ? [element('ul', { className: 'said' }, ...creative.remarks.map(remark))] : []),
      answer.form,
    );
    return { made, answer };
  };

  const showProgress = (creatives) => {
    const done = creatives.filter(({ verdict }) => verdict?.verdict === 'approved').length;
    at('progress').textContent = creatives.length === 0 ? '' : say('{0} of {1} approved', done, creatives.length);
  };

  /** The ads by their ids, as they were read last. */
  const known = new Map();
  const showPreviews = () => {
    for (const [id, creative] of known) at(`ad-${id}`)?.querySelector('.creatives').replaceWith(previews(creative));
  };

  const fill = ({ title, expires_at: until, publisher, creatives }) => {
    document.title = title;
    at('title').textContent = title;
    showPublishers([publisher]);
    at('about').textContent = say('Look at each ad in each of its sizes. Approve it, or say what has to change.');
    at('note').textContent = say('Everyone who has this link sees this page. It ends on {0}.', day(until));
    at('note').hidden = false;
    at('top').hidden = creatives.length === 0;
    at('state').hidden = creatives.length > 0;
    at('state').textContent = creatives.length > 0 ? '' : say('There is no ad to look at yet.');
    showProgress(creatives);
  };

  /** Draws one ad anew, so that what is typed at the others stays. @param fault what to say there @param kept what was typed there */
  const loadOne = async (id, fault, kept = '') => {
    const answer = await ask('');
    if (!answer.ok) return refuse(await wordsOfFault(answer));
    const { creatives } = await answer.json();
    showProgress(creatives);
    const creative = creatives.find((one) => one.id === id);
    if (!creative) return at(`ad-${id}`).remove();
    const { made, answer: form } = section(creative, loadOne);
    at(`ad-${id}`).replaceWith(made);
    form.text.value = kept;
    if (fault) form.complain(fault);
    else made.querySelector('.verdict').scrollIntoView({ block: 'nearest' });
  };

  const load = async () => {
    at('author').value = keptName();
    const answer = await ask('');
    if (!answer.ok) return refuse(await wordsOfFault(answer));
    const proof = await answer.json();
    fill(proof);
    at('creatives').replaceChildren(...proof.creatives.map((creative) => section(creative, loadOne).made));
    const hasPages = proof.creatives.some((one) => one.previews.some(({ live }) => live));
    if (proof.creatives.length > 0) showLooks(showPreviews, hasPages);
  };
  ready.then(load).catch(away);
})();
