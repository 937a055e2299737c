import { type Operation, type SchemaNode, secretPaths, unwrap } from '@tandem/contract';
import { publicOperations } from '../contracts.ts';
import type { Exchange } from '../exchange.ts';
import { compileRoutes, type Route } from '../routes.ts';
import { frameOf } from './call-frame.ts';

const value = 'ThisValueIsSecret';
// Calls of public operations have no credentials, so they are not logged.
const rows = publicOperations().filter(({ row }) => row.audience !== 'public');
const match = compileRoutes(rows);

function routeOf({ method, path }: Operation): Route {
  const found = match(method, path.replace(/:(\w+)|\/\*\w+/g, 'x'));
  if (!found || !('route' in found)) throw new Error(`No route for ${method} ${path}`);
  return found.route;
}

/** A JSON value with `value` at the end of a path; every '*' as an array element or as the value of a record. */
function valueAt([step, ...rest]: readonly string[], isRecord: boolean): unknown {
  if (step === undefined) return value;
  const inner = valueAt(rest, isRecord);
  return step === '*' && !isRecord ? [inner, inner] : { [step === '*' ? 'some' : step]: inner, filler: 1 };
}

function logged(route: Route, { body, reply }: { body?: unknown; reply?: unknown }, status = 200): string {
  return frameOf(
    {
      auth: { by: 'key', environment: 'live', who: { tenantId: 7, userId: 5, keyId: 9 } },
      route,
      request: { method: route.row.method },
      response: { statusCode: status },
      search: `?password=${value}&token=${value}&limit=1`,
      requestId: 'req_12345678',
      ip: '203.0.113.9',
      ...(body !== undefined && { received: Buffer.from(JSON.stringify(body)) }),
      ...(reply !== undefined && { sent: JSON.stringify(reply) }),
    } as unknown as Exchange,
    { at: 0, sequence: 1, durationMs: 1, path: '/' },
  ) as string;
}

const withSecrets = rows
  .filter(({ row }) => secretPaths(row.body).length + secretPaths(row.reply).length > 0)
  .map(({ row }) => [row.id, row] as const);

it('finds operations with secrets', () => expect(withSecrets.length).toBeGreaterThan(40));

it.each(withSecrets)('%s is logged without the values of its secret fields', (_, row) => {
  const route = routeOf(row);
  for (const isRecord of [false, true]) {
    for (const path of secretPaths(row.body)) {
      const text = logged(route, { body: valueAt(path, isRecord) });
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(value);
    }
    for (const path of secretPaths(row.reply)) {
      const data = valueAt(path, isRecord);
      const text = logged(route, { reply: row.envelope === 'none' ? data : { success: true, data } });
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(value);
    }
  }
});

const named =
  /passw|secret|token|credential|otpauth|recoveryCodes|fullKey|^iban$|^bic$|^state$|(download|upload|signing|pdf|authorization)Url$/i;
/** Fields whose names look like secrets, and why they are none. */
const none: Record<string, string> = {
  clientSecret: 'the response has *** instead',
  secretHint: 'the last four characters',
};

it('every text with the name of a secret is marked as one, or declared to be none', () => {
  const unmarked = rows.flatMap(({ row }) =>
    [row.body, row.form, row.reply].flatMap((schema) => {
      const marked = new Set(secretPaths(schema).map((path) => path.join('.')));
      return textsOf(schema)
        .filter((path) => named.test(path.at(-1) as string) && !marked.has(path.join('.')))
        .map((path) => path.at(-1) as string)
        .filter((name) => !(name in none))
        .map((name) => `${row.id} ${name}`);
    }),
  );
  expect(unmarked).toEqual([]);
});

/** The paths of all texts and lists of texts in a schema. */
function textsOf(schema: SchemaNode | undefined, path: string[] = [], within: SchemaNode[] = []): string[][] {
  if (!schema) return [];
  const node = unwrap(schema);
  if (within.includes(node)) return [];
  const { def } = node._zod as unknown as { def: Record<string, unknown> & { type: string } };
  const inside = (child: unknown, ...steps: string[]) =>
    textsOf(child as SchemaNode | undefined, [...path, ...steps], [...within, node]);
  if (def.type === 'string') return [path];
  if (def.type === 'object') return Object.entries(def.shape as object).flatMap(([name, child]) => inside(child, name));
  if (def.type === 'array') {
    const isOfTexts = unwrap(def.element as SchemaNode)._zod.def.type === 'string';
    return isOfTexts ? [path] : inside(def.element, '*');
  }
  if (def.type === 'record') return inside(def.valueType, '*');
  if (def.type === 'union') return (def.options as unknown[]).flatMap((option) => inside(option));
  if (def.type === 'intersection') return [...inside(def.left), ...inside(def.right)];
  return [];
}
