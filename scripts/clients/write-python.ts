import type { OpenApiDocument } from '../../src/api/openapi-document.ts';
import { pythonTypes } from './python-types.ts';
import { answeredMembersOf, readOperations, referenceOf, type ClientOperation, type Schema } from './read-operations.ts';

/** Words that Python does not take as the name of an argument. */
const KEYWORDS = ['class', 'from', 'import', 'global', 'in', 'is', 'not', 'or', 'and', 'if', 'as'];
const HEAD = '# Generated from the OpenAPI document of the service by scripts/build-clients.ts.\n';

export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** `filter[publisher]` → `filter_publisher`; `from` → `from_`. */
const argumentName = (name: string): string => {
  const plain = name.replaceAll(/\W+/g, '_').replace(/_$/, '');
  return KEYWORDS.includes(plain) ? `${plain}_` : plain;
};

/** The modules of the Python package that OpenAPI describes, by their file: types, exceptions, and a method for each operation. */
export const writePython = (document: OpenApiDocument): Readonly<Record<string, string>> => {
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
  const types = pythonTypes(schemas);
  const sentName = (name: string): string => (answeredMembersOf(schemas[name] ?? {}) ? `${name}Input` : name);
  const codes = (schemas['Problem']?.properties?.['code']?.['enum'] ?? []) as readonly string[];
  const methods = readOperations(document).map((operation) => methodOf(operation, types.typeOf, sentName));
  return {
    'ad_server.py': `${HEAD}from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Dict, List, Literal, Union

from . import types as t
from .calls import Calls


class AdServer(Calls):
    """The trafficking API, with the rights of a token. Each method is an operation of the OpenAPI document."""

${methods.join('\n')}`,
    'problems.py': `${HEAD}"""An exception for each problem that the service answers."""

from .problem import Problem

${codes.map((code) => `\nclass ${pascal(code)}(Problem):\n    """${code}"""\n`).join('\n')}

BY_CODE = {
${codes.map((code) => `    "${code}": ${pascal(code)},`).join('\n')}
}
`,
    'types.py': `${HEAD}"""What the service takes and answers, as dictionaries with known members."""

import sys
from typing import TYPE_CHECKING, Any, Dict, List, Literal, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import NotRequired
elif sys.version_info >= (3, 11):
    from typing import NotRequired

${types.written()}
`,
  };
};

const pascal = (code: string): string => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

type TypeOf = (schema: Schema, name: string) => string;

const methodOf = (operation: ClientOperation, typeOf: TypeOf, sentName: (name: string) => string): string => {
  const { id, summary, pathParameters, body, query, options } = operation;
  const title = id[0]!.toUpperCase() + id.slice(1);
  const inMethod = (type: string): string =>
    type.replaceAll(/\b(?!Dict|List|Union|Literal|Any|None|True|False)[A-Z]\w*\b(?![^"']*"\])/g, 't.$&');
  const optional = (name: string, type: string): string => `${argumentName(name)}: ${type} | None = None`;
  const argument = ({ name, schema, isRequired }: ClientOperation['query'][number]): string => {
    const type = queryType(schema);
    return isRequired ? `${argumentName(name)}: ${type}` : optional(name, type);
  };
  const sent =
    body &&
    (body.mediaType.endsWith('json')
      ? referenceOf(body.schema)
        ? `t.${sentName(referenceOf(body.schema)!)}`
        : 'dict[str, Any]'
      : 'bytes');
  const keywords = [
    ...[...query].sort((a, b) => Number(b.isRequired) - Number(a.isRequired)).map(argument),
    ...(operation.isPaged ? [optional('page_size', 'int')] : []),
    ...(options === 'record' ? [optional('if_match', 'Mapping[str, object] | str')] : []),
    ...(options === 'read' ? [] : [optional('note', 'str')]),
    ...(operation.isKeyed ? [optional('idempotency_key', 'str')] : []),
  ];
  const positional = [
    ...pathParameters.map(({ name, schema }) => `${name}: ${schema.type === 'integer' ? 'int' : 'str'}`),
    ...(sent ? [`body: ${sent}`] : []),
  ];
  const signature = ['self', ...positional, ...(keywords.length > 0 ? ['*', ...keywords] : [])].join(', ');
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `{self.step(${name})}`);
  const passed = [
    `"${operation.method}"`,
    `${path === operation.path ? '' : 'f'}"${path}"`,
    ...(query.length > 0 ? [`query={${query.map(({ name }) => `"${name}": ${argumentName(name)}`).join(', ')}}`] : []),
    ...(operation.joined.length > 0 ? [`joined=${JSON.stringify(operation.joined)}`] : []),
    ...(body ? [`body=body, media_type="${body.mediaType}"`] : []),
    ...(operation.isPaged ? [`page_size=page_size, max_page=${operation.maxPage}`] : []),
    ...(options === 'record' ? ['if_match=if_match'] : []),
    ...(options === 'read' ? [] : ['note=note']),
    ...(operation.isKeyed ? ['keyed=True, idempotency_key=idempotency_key'] : []),
  ].join(', ');
  const { answer } = operation;
  const json = answer && (referenceOf(answer.schema) ? `t.${referenceOf(answer.schema)!}` : inMethod(typeOf(answer.schema, title)));
  const returned = operation.isPaged ? `Iterator[${json}]` : (json ?? (answer === null ? 'None' : 'bytes'));
  return `    def ${snakeCase(id)}(${signature}) -> ${returned}:
        """${summary.replaceAll('"', "'")}"""
        return self.${operation.isPaged ? 'pages' : 'call'}(${passed})
`;
};

const queryType = ({ type, enum: values, items }: Schema): string => {
  if (Array.isArray(values)) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  if (type === 'array') return `Sequence[${queryType(items ?? {})}]`;
  return { integer: 'int', number: 'float', boolean: 'bool', string: 'str' }[String(type)] ?? 'str | int';
};
