import type { Relation } from './models.ts';
import type { Ownership } from './scope.ts';

/**
 * Which records of a model a caller narrowed to own or team records may access:
 * - `shared`: all of the tenant, such as configuration
 * - `owners`: those with the caller in one of these fields; `team` names the field of the record's team
 * - `through`: those whose related records are all accessible
 */
export type Narrowing =
  | 'shared'
  | { owners: readonly string[]; team?: string; through?: never }
  | { through: readonly string[]; owners?: never; team?: never };

/** The fields of each model, as the generated client lists them. */
export type ModelFields = Record<string, readonly string[]>;

/** The models of a service and their narrowing, as used by the guard. */
export interface Rules {
  models: ModelFields;
  relations: (model: string) => ReadonlyMap<string, Relation> | undefined;
  /** Undefined for a service that accepts no narrowed callers. */
  narrowing: Readonly<Record<string, Narrowing>> | undefined;
}

/** The condition that limits a narrowed caller's records of the model; undefined when all are accessible. */
export function ownedBy(who: Ownership, model: string, rules: Rules): object | undefined {
  const narrowing = rules.narrowing?.[model];
  if (!narrowing) throw new Error(`${model} does not declare which records a narrowed caller can access`);
  if (narrowing === 'shared') return undefined;
  if (narrowing.through) {
    const related = narrowing.through.map((name) => [
      name,
      ownedBy(who, targetOf(model, name, rules) as string, rules),
    ]);
    return Object.fromEntries(related);
  }
  const { owners, team } = narrowing;
  const isOwn = owners.map((field) => ({ [field]: who.userId }));
  const isOfTeam = team !== undefined && who.teamIds?.length ? [{ [team]: { in: [...who.teamIds] } }] : [];
  return { OR: [...isOwn, ...isOfTeam] };
}

function targetOf(model: string, relation: string, rules: Rules): string | undefined {
  return rules.relations(model)?.get(relation)?.target;
}

/**
 * Rejects inconsistent declarations, which would open or close a model by mistake.
 * @throws with the name of every model that is undeclared, unknown, or declared inconsistently
 */
export function checkNarrowing({ models, relations, narrowing }: Rules): void {
  if (!narrowing) return;
  const tenantModels = Object.keys(models).filter((model) => models[model]?.includes('tenantId'));
  const problems = [
    ...tenantModels.filter((model) => !narrowing[model]).map((model) => `${model} is not declared`),
    ...Object.keys(narrowing)
      .filter((model) => !tenantModels.includes(model))
      .map((model) => `${model} is not a tenant model`),
    ...tenantModels.flatMap((model) => {
      const one = narrowing[model];
      return one && one !== 'shared' ? problemsOf(model, one) : [];
    }),
  ];
  if (problems.length) throw new Error(`Narrowing: ${problems.join('; ')}`);

  function problemsOf(model: string, one: Exclude<Narrowing, 'shared'>): string[] {
    if (one.owners && one.through) return [`${model} declares both owners and through: declare only one of them`];
    if (!one.through) {
      const fields = [...(one.owners ?? []), ...(one.team === undefined ? [] : [one.team])];
      if (!one.owners?.length) return [`${model} declares no owners`];
      return fields.filter((field) => !models[model]?.includes(field)).map((field) => `${model} has no field ${field}`);
    }
    if (!one.through.length) return [`${model} declares through without a relation`];
    return one.through.flatMap((name) => {
      const target = relations(model)?.get(name)?.target;
      if (!target) return [`${model} has no relation ${name}`];
      if (!tenantModels.includes(target))
        return [`${model} is narrowed through ${target}, which is not a tenant model`];
      if (narrowing?.[target] === 'shared') return [`${model} is narrowed through ${target}, which is shared`];
      return leadsBack(target, new Set([model])) ? [`${model} is narrowed through itself`] : [];
    });
  }

  function leadsBack(model: string, seen: Set<string>): boolean {
    if (seen.has(model)) return true;
    const one = narrowing?.[model];
    if (!one || one === 'shared' || !one.through) return false;
    return one.through.some((name) => {
      const target = relations(model)?.get(name)?.target;
      return target !== undefined && leadsBack(target, new Set([...seen, model]));
    });
  }
}
