import { hasCondition, isRecord } from './conditions.ts';
import { checkNarrowing, ownedBy, type Rules } from './narrowing.ts';
import { running, type Scope } from './scope.ts';

type Args = { where?: Record<string, unknown>; data?: unknown };

const byWhere = new Set([
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'findPage',
  'countPage',
  'findIds',
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
 * First isolation layer: the models of a client, with the current scope added to the filter or data of every operation
 * on a tenant table. Operations that cannot be scoped this way are rejected: findUnique (whose calls Prisma merges
 * across requests), update, upsert and delete by unique key. updateManyAndReturn and deleteMany do the same work in one
 * statement. Arguments that would match too much are rejected too: `undefined` anywhere, and updating or deleting many
 * records without a condition. These are plain functions around Prisma's own, because a client extension adds a fifth
 * to the cost of a query.
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

/** The property name of a model on a client. */
export function delegateName(model: string): string {
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
}

type Delegate = Record<string, (args: Args) => PromiseLike<unknown>>;

function guarded(model: string, delegate: Delegate, rules: Rules): Delegate {
  const isOfTenants = rules.models[model]?.includes('tenantId');
  const operations = [...byWhere, ...byData, ...unscopable].map((operation) => [
    operation,
    (args: Args = {}) => {
      rejectUndefined(`${model}.${operation}`, args);
      if (inBulk.has(operation) && !hasCondition(args.where))
        throw new Error(
          `${model}.${operation} requires a condition; to change all records of the tenant, filter by its tenantId`,
        );
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
  const scopeFields = fields.includes('environment')
    ? { tenantId: scope.tenantId, environment: scope.environment }
    : { tenantId: scope.tenantId };
  if (byWhere.has(operation))
    return { ...args, where: { ...args.where, ...scopeFields, ...narrowed(model, args, rules, scope) } };
  if (byData.has(operation)) {
    const rows = args.data;
    return {
      ...args,
      data: Array.isArray(rows)
        ? rows.map((row) => ({ ...row, ...scopeFields }))
        : { ...(rows as object), ...scopeFields },
    };
  }
  throw new Error(
    `${model}.${operation} cannot be scoped to a tenant; use findFirst, updateManyAndReturn or deleteMany`,
  );
}

/** The additional condition of a caller narrowed to own or team records, on every narrowed model. */
function narrowed(model: string, args: Args, rules: Rules, scope: Scope): { AND?: unknown[] } {
  const own = scope.narrow && ownedBy(scope.narrow, model, rules);
  if (!own) return {};
  const already = args.where?.AND;
  return { AND: [...(Array.isArray(already) ? already : already ? [already] : []), own] };
}

/** Prisma ignores conditions whose value is undefined, so the query would match everything. */
function rejectUndefined(path: string, value: unknown): void {
  if (value === undefined) throw new Error(`${path} is undefined: omit it, or use null`);
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) rejectUndefined(`${path}.${index}`, one);
    return;
  }
  if (!isRecord(value)) return;
  for (const [name, one] of Object.entries(value as object)) rejectUndefined(`${path}.${name}`, one);
}
