import { type Ownership, running, type Scope } from './scope.ts';

/** The fields of each model, as the generated client lists them. */
export type ModelFields = Record<string, readonly string[]>;

/** Model → relation → the model that it leads to. */
export type OwnedThrough = Record<string, Record<string, string>>;

interface Rules {
  models: ModelFields;
  owners: readonly string[];
  ownedThrough: OwnedThrough;
}

type Args = { where?: Record<string, unknown>; data?: unknown };

const byWhere = new Set([
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'lockFirst',
  'count',
  'aggregate',
  'groupBy',
  'updateMany',
  'updateManyAndReturn',
  'deleteMany',
]);
const byData = new Set(['create', 'createMany', 'createManyAndReturn']);
const unscopable = ['findUnique', 'findUniqueOrThrow', 'update', 'upsert', 'delete'];

/**
 * Wall one: the models of a client, where every operation on a tenant table gets the scope of the moment, in its filter
 * or in its data. What cannot be scoped that way is refused: findUnique (whose calls Prisma merges across requests),
 * update, upsert and delete by unique key. updateManyAndReturn and deleteMany do the same work in one statement.
 * Plain functions around Prisma's own: an extension of the client costs a fifth of a query.
 */
export function guardModels(client: object, rules: Rules): Record<string, object> {
  checkRelated(rules);
  const delegates = client as Record<string, Delegate>;
  return Object.fromEntries(
    Object.entries(rules.models).map(([model, fields]) => {
      const name = delegateName(model);
      const delegate = delegates[name] as Delegate;
      return [name, fields.includes('tenantId') ? guarded(model, delegate, rules) : delegate];
    }),
  );
}

/** The name under which a client has a model. */
export function delegateName(model: string): string {
  return `${model.charAt(0).toLowerCase()}${model.slice(1)}`;
}

type Delegate = Record<string, (args: Args) => PromiseLike<unknown>>;

function guarded(model: string, delegate: Delegate, rules: Rules): Delegate {
  const operations = [...byWhere, ...byData, ...unscopable].map((operation) => [
    operation,
    (args: Args = {}) => {
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

/** A caller who may reach only own or team records gets that as one more condition on every model that has owners. */
function narrowed(model: string, args: Args, rules: Rules, scope: Scope): { AND?: unknown[] } {
  const own = scope.narrow && ownedBy(scope.narrow, model, rules);
  if (!own) return {};
  const already = args.where?.AND;
  return { AND: [...(Array.isArray(already) ? already : already ? [already] : []), own] };
}

/** The filter for what belongs to somebody; undefined for a model that belongs to nobody in particular. */
function ownedBy(who: Ownership, model: string, rules: Rules): object | undefined {
  const { userId, teamIds } = who;
  const fields = rules.models[model] ?? [];
  const own = rules.owners.filter((field) => fields.includes(field)).map((field) => ({ [field]: userId }));
  const team = teamIds?.length && fields.includes('teamId') ? [{ teamId: { in: [...teamIds] } }] : [];
  if (own.length) return { OR: [...own, ...team] };
  const related = rules.ownedThrough[model];
  if (!related) return undefined;
  return Object.fromEntries(
    Object.entries(related).map(([relation, target]) => [relation, ownedBy(who, target, rules)]),
  );
}

/** A name that is none would leave a model open to everybody. */
function checkRelated({ models, owners, ownedThrough }: Rules): void {
  for (const [model, related] of Object.entries(ownedThrough)) {
    const isOwned = (target: string) => owners.some((field) => models[target]?.includes(field));
    const wrong = [...(models[model] ? [] : [model]), ...Object.values(related).filter((target) => !isOwned(target))];
    if (wrong.length) throw new Error(`ownedThrough names ${wrong.join(', ')}, which is no model or has no owner`);
  }
}
