import { parseLua, type LuaBlock, type LuaCall, type LuaExpression, type LuaFunction, type LuaStatement } from './lua-parser.ts';
import { nameOf, severalOf } from './lua-returns.ts';
import { luaRuntime } from './lua-runtime.ts';

/** The functions of a chunk of Lua by name. A function that returns several values returns them as an array. */
export type LuaFunctions<Name extends string> = Readonly<Record<Name, (...args: never[]) => unknown>>;

/**
 * Compiles Lua to JavaScript, so that the rules of the ledger run where no Redis is: the same text, at the speed of V8. Tables
 * are arrays from 1 and objects; nil is undefined; tables as keys are the text that their toString returns. What a function
 * returns is known by its name, so a name stands for one function in a chunk.
 *
 * @param globals what the chunk reads and does not define
 * @throws when the text is not in the part of Lua that is understood
 */
export const compileLua = <Name extends string>(
  source: string,
  names: readonly Name[],
  globals: Readonly<Record<string, unknown>>,
): LuaFunctions<Name> => {
  const chunk = parseLua(source);
  const emit = createEmitter(severalOf(chunk));
  const body = emit.chunk(chunk);
  const exported = names.map((name) => `${name}: $${name}`).join(', ');
  // The text is that of files of the project, not of a caller.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function('env', ...Object.keys(luaRuntime), `"use strict";\n${body}\nreturn { ${exported} };`) as (
    ...values: unknown[]
  ) => LuaFunctions<Name>;
  return run(globals, ...Object.values(luaRuntime));
};

const LIBRARY = ['math', 'string', 'tonumber', 'ipairs', 'pairs', 'error'];

const COMPARED: Readonly<Record<string, string>> = { '==': '===', '~=': '!==', '<': '<', '>': '>', '<=': '<=', '>=': '>=' };

const createEmitter = (several: ReadonlySet<string>) => {
  const scopes: Set<string>[] = [new Set()];
  let temporaries = 0;
  /** Whether the function that is written returns an array. */
  let returnsSeveral = false;

  const within = <T>(names: readonly string[], write: () => T): T => {
    scopes.push(new Set(names));
    const written = write();
    scopes.pop();
    return written;
  };
  const declare = (name: string): string => {
    scopes.at(-1)!.add(name);
    return `$${name}`;
  };
  const isSeveral = (expression: LuaExpression | undefined): expression is LuaCall =>
    expression?.is === 'call' && several.has(nameOf(expression));
  const isBoolean = (expression: LuaExpression): boolean => {
    if (expression.is === 'paren') return isBoolean(expression.inner);
    if (expression.is === 'unary') return expression.operator === 'not';
    return (
      expression.is === 'binary' &&
      (expression.operator in COMPARED || (isLogical(expression.operator) && isBoolean(expression.left) && isBoolean(expression.right)))
    );
  };

  const name = (of: string): string => {
    if (scopes.some((scope) => scope.has(of))) return `$${of}`;
    return LIBRARY.includes(of) ? `lua_${of}` : `env.${of}`;
  };
  const key = (of: LuaExpression): string => (of.is === 'string' && /^[a-z_]\w*$/i.test(of.value) ? `.${of.value}` : `[${value(of)}]`);

  const args = (given: readonly LuaExpression[]): string =>
    given.map((one, i) => (i === given.length - 1 && isSeveral(one) ? `...${rawCall(one)}` : value(one))).join(', ');
  const rawCall = ({ callee, method, args: given }: LuaCall): string =>
    method === undefined
      ? `${value(callee)}(${args(given)})`
      : `lua_string.${method}(${value(callee)}${given.length > 0 ? ', ' : ''}${args(given)})`;

  const condition = (of: LuaExpression): string => {
    if (of.is === 'paren') return condition(of.inner);
    if (of.is === 'unary' && of.operator === 'not') return `!${condition(of.operand)}`;
    if (of.is === 'binary' && isLogical(of.operator))
      return `(${condition(of.left)} ${of.operator === 'and' ? '&&' : '||'} ${condition(of.right)})`;
    return isBoolean(of) ? value(of) : `is(${value(of)})`;
  };

  const logical = (operator: string, left: LuaExpression, right: LuaExpression): string => {
    if (isBoolean(left)) return `(${condition(left)} ${operator === 'and' ? '&&' : '||'} ${value(right)})`;
    const held = `t${temporaries++}`;
    return operator === 'and'
      ? `(is(${held} = ${value(left)}) ? ${value(right)} : ${held})`
      : `(is(${held} = ${value(left)}) ? ${held} : ${value(right)})`;
  };

  const binary = (operator: string, left: LuaExpression, right: LuaExpression): string => {
    if (isLogical(operator)) return logical(operator, left, right);
    const compared = COMPARED[operator];
    const isNil = [left, right].some((side) => side.is === 'value' && side.text === 'nil');
    if (compared) return `(${value(left)} ${isNil ? compared.slice(0, 2) : compared} ${value(right)})`;
    if (operator === '..') return `join(${value(left)}, ${value(right)})`;
    if (operator === '%') return `modulo(${value(left)}, ${value(right)})`;
    return `(${value(left)} ${operator === '^' ? '**' : operator} ${value(right)})`;
  };

  const value = (of: LuaExpression): string => {
    switch (of.is) {
      case 'value':
        return of.text === 'nil' ? 'undefined' : of.text;
      case 'number':
        return of.text;
      case 'string':
        return JSON.stringify(of.value);
      case 'name':
        return name(of.name);
      case 'paren':
        return value(of.inner);
      case 'index':
        return `${value(of.of)}${key(of.key)}`;
      case 'call':
        return isSeveral(of) ? `${rawCall(of)}[0]` : rawCall(of);
      case 'function':
        return written(of, false);
      case 'unary':
        if (of.operator === 'not') return condition(of);
        return of.operator === '#' ? `length(${value(of.operand)})` : `(-${value(of.operand)})`;
      case 'binary':
        return binary(of.operator, of.left, of.right);
      case 'table':
        return of.items.some((item) => item.key !== undefined)
          ? `{ ${of.items.map((item) => `${JSON.stringify(item.key?.is === 'string' ? item.key.value : '')}: ${value(item.value)}`).join(', ')} }`
          : `[undefined${of.items.map((item) => `, ${value(item.value)}`).join('')}]`;
    }
  };

  const written = ({ parameters, body }: LuaFunction, isArray: boolean): string => {
    const [outer, first] = [returnsSeveral, temporaries];
    returnsSeveral = isArray;
    temporaries = 0;
    const text = within(parameters, () => block(body));
    const held = temporaries > 0 ? `let ${Array.from({ length: temporaries }, (_, i) => `t${i}`).join(', ')};\n` : '';
    returnsSeveral = outer;
    temporaries = first;
    return `function (${parameters.map((parameter) => `$${parameter}`).join(', ')}) {\n${held}${text}${isArray ? '\nreturn [];' : ''}\n}`;
  };

  /** Several values for several targets. */
  const values = (given: readonly LuaExpression[], count: number): string[] =>
    Array.from({ length: count }, (_, i) => (given[i] ? value(given[i]) : 'undefined'));

  const returned = (given: readonly LuaExpression[]): string => {
    if (!returnsSeveral) return given[0] ? `return ${value(given[0])};` : 'return;';
    return given.length === 1 && isSeveral(given[0]) ? `return ${rawCall(given[0])};` : `return [${args(given)}];`;
  };

  const statement = (of: LuaStatement): string => {
    switch (of.is) {
      case 'local': {
        const only = of.values.length === 1 ? of.values[0] : undefined;
        if (of.names.length > 1 && isSeveral(only)) {
          const call = rawCall(only);
          return `let [${of.names.map(declare).join(', ')}] = ${call};`;
        }
        const given = values(of.values, of.names.length);
        return `let ${of.names.map((one, i) => `${declare(one)} = ${given[i]!}`).join(', ')};`;
      }
      case 'assign': {
        const only = of.values.length === 1 ? of.values[0] : undefined;
        const targets = of.targets.map((target) => value(target));
        if (targets.length > 1)
          return `[${targets.join(', ')}] = ${isSeveral(only) ? rawCall(only) : `[${values(of.values, targets.length).join(', ')}]`};`;
        return `${targets[0]!} = ${value(of.values[0]!)};`;
      }
      case 'define': {
        const target = of.isLocal ? `let ${declare(of.name)}` : name(of.name);
        return `${target} = ${written(of.defined, several.has(of.name))};`;
      }
      case 'call':
        return `${rawCall(of.call)};`;
      case 'do':
        return `{\n${within([], () => block(of.body))}\n}`;
      case 'while':
        return `while (${condition(of.condition)}) {\n${within([], () => block(of.body))}\n}`;
      case 'if':
        return of.branches
          .map(({ condition: when, body }) => `${when ? `if (${condition(when)}) ` : ''}{\n${within([], () => block(body))}\n}`)
          .join(' else ');
      case 'count': {
        const [from, to, by] = of.bounds.map((bound) => value(bound));
        const isDown = by?.startsWith('(-') === true;
        const text = within([of.name], () => block(of.body));
        return `for (let $${of.name} = ${from!}, last = ${to!}; $${of.name} ${isDown ? '>=' : '<='} last; $${of.name} += ${by ?? '1'}) {\n${text}\n}`;
      }
      case 'each': {
        const text = within(of.names, () => block(of.body));
        return `for (const [${of.names.map((one) => `$${one}`).join(', ')}] of ${value(of.of)}) {\n${text}\n}`;
      }
      case 'return':
        return returned(of.values);
      case 'break':
        return 'break;';
    }
  };
  const block = (of: LuaBlock): string => of.map(statement).join('\n');
  const chunk = (of: LuaBlock): string => {
    const text = block(of);
    return temporaries > 0 ? `let ${Array.from({ length: temporaries }, (_, i) => `t${i}`).join(', ')};\n${text}` : text;
  };
  return { chunk };
};

const isLogical = (operator: string): boolean => operator === 'and' || operator === 'or';
