import type { Relation } from './models.ts';
import { checkNarrowing, type Narrowing } from './narrowing.ts';

const models = {
  Lead: ['id', 'tenantId', 'assignedTo', 'teamId'],
  Task: ['id', 'tenantId', 'leadId', 'ownerId'],
  Note: ['id', 'tenantId', 'taskId'],
  Setting: ['id', 'tenantId'],
  Outbox: ['id'],
};
const targets: Record<string, Record<string, string>> = {
  Task: { lead: 'Lead', note: 'Note', setting: 'Setting', outbox: 'Outbox' },
  Note: { task: 'Task' },
};
const relations = (model: string) =>
  new Map(
    Object.entries(targets[model] ?? {}).map(([name, target]) => [name, { target } as Relation] as [string, Relation]),
  );
const right: Record<string, Narrowing> = {
  Lead: { owners: ['assignedTo'], team: 'teamId' },
  Task: { through: ['lead'] },
  Note: { through: ['task'] },
  Setting: 'shared',
};
const check = (changed: Record<string, unknown>) =>
  checkNarrowing({ models, relations, narrowing: { ...right, ...changed } as Record<string, Narrowing> });

it('consistent declarations are accepted, and so is a service without narrowing', () => {
  expect(() => check({})).not.toThrow();
  expect(() => checkNarrowing({ models, relations, narrowing: undefined })).not.toThrow();
});

it.each([
  ['a model without a declaration', { Lead: undefined }, 'Lead is not declared'],
  ['a declaration of a model without a tenant', { Outbox: 'shared' }, 'Outbox is not a tenant model'],
  ['an owner that is not a field', { Lead: { owners: ['boss'] } }, 'Lead has no field boss'],
  ['a team that is not a field', { Lead: { owners: ['assignedTo'], team: 'crew' } }, 'Lead has no field crew'],
  ['no owner', { Lead: { owners: [] } }, 'Lead declares no owners'],
  ['no relation', { Task: { through: [] } }, 'Task declares through without a relation'],
  ['owners and relations at once', { Task: { owners: ['ownerId'], through: ['lead'] } }, 'declare only one of them'],
  ['a relation that does not exist', { Task: { through: ['deal'] } }, 'Task has no relation deal'],
  ['a relation to a shared model', { Task: { through: ['setting'] } }, 'Setting, which is shared'],
  ['a relation to a model without a tenant', { Task: { through: ['outbox'] } }, 'which is not a tenant model'],
  ['cyclic relations', { Task: { through: ['note'] } }, 'is narrowed through itself'],
])('%s fails at startup', (_, changed, problem) => {
  expect(() => check(changed)).toThrow(problem);
});
