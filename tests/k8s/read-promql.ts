import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  readonly series: string;
  readonly matchers: readonly { readonly label: string; readonly values: readonly string[] }[];
}

export interface Promql {
  readonly selectors: readonly Selector[];
  /** Each aggregation or vector matching: the labels that it names, and the series below it. */
  readonly groupings: readonly { readonly labels: readonly string[]; readonly series: readonly string[] }[];
}

const strict = parser.configure({ strict: true });
/** Grafana replaces these before it sends a query. */
const VARIABLES: readonly (readonly [string, string])[] = [
  ['$__rate_interval', '5m'],
  ['$namespace', 'ads'],
];

type Node = ReturnType<typeof strict.parse>['topNode'];

const below = (node: Node, name: string): readonly Node[] => {
  const found: Node[] = [];
  node.cursor().iterate((one) => {
    if (one.name === name) found.push(one.node);
  });
  return found;
};

/** What an expression of PromQL reads. @throws SyntaxError when it does not parse */
export const readPromql = (expression: string): Promql => {
  const text = VARIABLES.reduce((filled, [name, value]) => filled.replaceAll(name, value), expression);
  const root = strict.parse(text).topNode;
  const textOf = ({ from, to }: Node): string => text.slice(from, to);
  const seriesIn = (node: Node): readonly string[] =>
    below(node, 'VectorSelector').map((selector) => textOf(selector.getChild('Identifier') ?? selector));
  return {
    selectors: below(root, 'VectorSelector').map((selector) => ({
      series: textOf(selector.getChild('Identifier') ?? selector),
      matchers: below(selector, 'UnquotedLabelMatcher').map((matcher) => {
        const [label, , value] = [matcher.getChild('LabelName'), matcher.getChild('MatchOp'), matcher.getChild('StringLiteral')];
        return { label: label ? textOf(label) : '', values: value ? textOf(value).slice(1, -1).split('|') : [] };
      }),
    })),
    groupings: below(root, 'GroupingLabels').map((labels) => {
      // GroupingLabels > modifier > the aggregation or the binary expression.
      const whole = labels.parent?.parent ?? root;
      return { labels: below(labels, 'LabelName').map(textOf), series: seriesIn(whole) };
    }),
  };
};
