import { answeredMembersOf, referenceOf, type Schema } from './read-operations.ts';

const PLAIN: Readonly<Record<string, string>> = {
  ...{ string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None', array: 'List[Any]', object: 'Dict[str, Any]' },
};

/** Python types of the components, and of schemas inside operations; objects inside others get names too. */
export const pythonTypes = (schemas: Readonly<Record<string, Schema>>) => {
  const definitions = new Map<string, string>();

  const typeOf = (schema: Schema, name: string): string => {
    const reference = referenceOf(schema);
    if (reference !== undefined) return reference;
    if ('const' in schema) return literal([schema['const']]);
    if (Array.isArray(schema['enum'])) return literal(schema['enum']);
    const choices = schema['anyOf'] as readonly Schema[] | undefined;
    if (choices) return anyOf(choices.map((choice, i) => typeOf(choice, i === 0 ? name : `${name}${i + 1}`)));
    const all = schema['allOf'] as readonly Schema[] | undefined;
    if (all) return typeOf(merged(all), name);
    const { type } = schema;
    const kinds = typeof type === 'string' ? [type] : (type ?? []);
    return kinds.length === 0 ? 'Any' : anyOf(kinds.map((kind) => kindOf(kind, schema, name)));
  };

  const kindOf = (kind: string, schema: Schema, name: string): string => {
    if (kind === 'array' && schema.items) return `List[${typeOf(schema.items, `${name}Item`)}]`;
    if (kind === 'object' && schema.properties) return define(name, schema);
    const values = schema['additionalProperties'];
    if (kind === 'object' && typeof values === 'object' && values !== null) return `Dict[str, ${typeOf(values as Schema, `${name}Value`)}]`;
    return PLAIN[kind] ?? 'Any';
  };

  /** By the function, because the names of some members are words of Python, such as `class`. */
  const define = (name: string, { properties = {}, required = [] }: Schema): string => {
    if (definitions.has(name)) return name;
    definitions.set(name, '');
    const members = Object.entries(properties).map(([member, schema]) => {
      const type = typeOf(
        schema,
        `${name}${member.replaceAll(/(?:^|\W|_)(\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/\W/g, '')}`,
      );
      return `    ${JSON.stringify(member)}: ${JSON.stringify(required.includes(member) ? type : `NotRequired[${type}]`)},`;
    });
    definitions.set(name, `${name} = TypedDict("${name}", {\n${members.join('\n')}\n})`);
    return name;
  };

  /** An allOf of objects as one object. */
  const merged = (parts: readonly Schema[]): Schema => {
    const objects = parts.map((part) => schemas[referenceOf(part) ?? ''] ?? part);
    return {
      type: 'object',
      properties: Object.assign({}, ...objects.map(({ properties }) => properties)) as Readonly<Record<string, Schema>>,
      required: objects.flatMap(({ required = [] }) => required),
    };
  };

  const component = (name: string, schema: Schema): void => {
    const members = answeredMembersOf(schema);
    if (members) {
      const { properties = {}, required = [] } = schema;
      const sent = Object.fromEntries(Object.entries(properties).filter(([member]) => !members.readOnly.includes(member)));
      define(`${name}Input`, { ...schema, properties: sent, required: required.filter((member) => member in sent) });
      define(name, { ...schema, required: members.always });
    } else if (schema.type === 'object' && schema.properties) define(name, schema);
    else definitions.set(name, `${name} = ${quoted(typeOf(schema, `${name}Of`))}`);
  };
  for (const [name, schema] of Object.entries(schemas)) component(name, schema);

  return { typeOf, written: (): string => [...definitions.values()].join('\n') };
};

/** Outside a TypedDict a type that is not defined yet is quoted where it is used. */
const quoted = (type: string): string =>
  /^(Union|Dict|List)\[/.test(type) ? type.replaceAll(/\b(?!Union\b|Dict\b|List\b|Any\b|None\b)([A-Z]\w*)/g, '"$1"') : type;

const literal = (values: readonly unknown[]): string =>
  `Literal[${values.map((value) => (value === null ? 'None' : value === true ? 'True' : value === false ? 'False' : JSON.stringify(value))).join(', ')}]`;

const anyOf = (types: readonly string[]): string => {
  const [first = 'Any', ...others] = new Set(types);
  return others.length === 0 ? first : `Union[${[first, ...others].join(', ')}]`;
};
