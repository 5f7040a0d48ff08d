import { HELP_QUESTIONS } from '../../admin/help/questions.ts';
import { readDocument } from './documents.ts';

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

test('every answer of the help leads to a document, and to a heading that it has', () => {
  const broken = HELP_QUESTIONS.filter(({ doc }) => {
    const [file = '', anchor] = doc.split('#');
    const headings = [...readDocument(`docs/${file.replace(/html$/, 'md')}`).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      anchorOf(text),
    );
    return anchor !== undefined && !headings.includes(anchor);
  });
  expect(broken.map(({ doc }) => doc)).toEqual([]);
});
