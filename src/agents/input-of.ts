import { checkedSchema } from '../api/component.ts';
import type { RouteDefinition } from '../api/route.ts';
import type { Schema } from '../base/schema.ts';

/** The parameters of a route as members of a JSON Schema: for the arguments of a tool that calls it. */
export const parametersAs = ({ parameters = {} }: RouteDefinition, names = Object.keys(parameters)): Readonly<Record<string, object>> =>
  Object.fromEntries(
    names.map((name) => {
      const { schema, description } = parameters[name] ?? {};
      if (!schema) throw new Error(`The route has no parameter ${name}.`);
      return [name, { ...checkedSchema(schema), ...(description !== undefined && { description }) }];
    }),
  );

/** The body of a route as JSON Schema. */
export const bodyOf = ({ body }: RouteDefinition): object => {
  if (!body) throw new Error('The route has no body.');
  return checkedSchema(body.schema);
};

/** Arguments of a tool, and no others. */
export const argumentsOf = (properties: Readonly<Record<string, object | Schema>>, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
