import { hasCondition, isRecord } from './conditions.ts';
import { checkNarrowing, ownedBy, type Rules } from './narrowing.ts';
import { running, type Scope } from './scope.ts';

type Args = { where?: Record<string, unknown>; data?: unknown };

const byWhere = new Set([
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'findPage',
  'lockFirst',
  'count',
  'aggregate',
  'groupBy',
  'updateMany',
  'updateManyAndReturn',
  'deleteMany',
]);
const byData = new Set(['create', 'createMany', 'createManyAndReturn']);
const inBulk = new Set(['updateMany', 'updateManyAndReturn', 'deleteMany']);
const unscopable = ['findUnique', 'findUniqueOrThrow', 'update', 'upsert', 'delete'];

/**
 * Wall one: the models of a client, where every operation on a tenant table gets the current scope, in its filter
 * or in its data. What cannot be scoped that way is refused: findUnique (whose calls Prisma merges across requests),
 * update, upsert and delete by unique key. updateManyAndReturn and deleteMany do the same work in one statement.
 * Arguments that would match more than they say are refused too: `undefined` anywhere, and a change or removal of many
 * records without a condition.
 * Plain functions around Prisma's own: an extension of the client costs a fifth of a query.
 */
export function guardModels(client: object, rules: Rules): Record<string, object> {
  checkNarrowing(rules);
  const delegates = client as Record<string, Delegate>;
  return Object.fromEntries(
    Object.keys(rules.models).map((model) => {
      const name = delegateName(model);
      return [name, guarded(model, delegates[name] as Delegate, rules)];
    }),
  );
}

/** The name under which a client has a model. */
export function delegateName(model: string): string {
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
}

type Delegate = Record<string, (args: Args) => PromiseLike<unknown>>;

function guarded(model: string, delegate: Delegate, rules: Rules): Delegate {
  const isOfTenants = rules.models[model]?.includes('tenantId');
  const operations = [...byWhere, ...byData, ...unscopable].map((operation) => [
    operation,
    (args: Args = {}) => {
      refuseUndefined(`${model}.${operation}`, args);
      if (inBulk.has(operation) && !hasCondition(args.where))
        throw new Error(`${model}.${operation} needs a condition; name the tenant's id to change all of its records`);
      if (!isOfTenants) return (delegate[operation] as Delegate[string])(args);
      const scope = running.getStore()?.scope;
      if (!scope) throw new Error(`${model}.${operation} without a tenant`);
      return (delegate[operation] as Delegate[string])(scoped(model, operation, args, rules, scope));
    },
  ]);
  return Object.fromEntries(operations);
}

function scoped(model: string, operation: string, args: Args, rules: Rules, scope: Scope): Args {
  const fields = rules.models[model] as readonly string[];
  const mine = fields.includes('environment')
    ? { tenantId: scope.tenantId, environment: scope.environment }
    : { tenantId: scope.tenantId };
  if (byWhere.has(operation))
    return { ...args, where: { ...args.where, ...mine, ...narrowed(model, args, rules, scope) } };
  if (byData.has(operation)) {
    const rows = args.data;
    return {
      ...args,
      data: Array.isArray(rows) ? rows.map((row) => ({ ...row, ...mine })) : { ...(rows as object), ...mine },
    };
  }
  throw new Error(
    `${model}.${operation} cannot be scoped to a tenant; use findFirst, updateManyAndReturn or deleteMany`,
  );
}

/** A caller who may reach only own or team records gets that as one more condition on every narrowed model. */
function narrowed(model: string, args: Args, rules: Rules, scope: Scope): { AND?: unknown[] } {
  const own = scope.narrow && ownedBy(scope.narrow, model, rules);
  if (!own) return {};
  const already = args.where?.AND;
  return { AND: [...(Array.isArray(already) ? already : already ? [already] : []), own] };
}

/** Prisma leaves a condition out whose value is undefined: the query would match everything. */
function refuseUndefined(path: string, value: unknown): void {
  if (value === undefined) throw new Error(`${path} is undefined: leave it out, or say null`);
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) refuseUndefined(`${path}.${index}`, one);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, one] of Object.entries(value as object)) refuseUndefined(`${path}.${name}`, one);
}
