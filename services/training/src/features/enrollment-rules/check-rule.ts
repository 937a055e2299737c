import type { Caller } from '@tandem/caller';
import { orAbsent } from '@tandem/client/internal';
import { type FieldError, type LeadCondition, unknownId } from '@tandem/contract';
import { asService, fail } from '@tandem/service';
import type { learnerTypes } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Peers } from '../../handler.ts';

interface Written {
  roleIds?: number[] | undefined;
  teamIds?: number[] | undefined;
  tiers?: string[] | undefined;
  leadConditions?: { operator: string; value?: unknown }[] | undefined;
  dueInDays?: number | null | undefined;
  expiresInDays?: number | null | undefined;
}

/** @throws 422 for roles and teams that the tenant does not have. Calls identity, so it must not run in a transaction. */
export async function checkKnown({ identity }: Pick<Peers, 'identity'>, caller: Caller, body: Written): Promise<void> {
  const as = asService(caller);
  const unknown = async (
    field: 'roleIds' | 'teamIds',
    index: number,
    found: Promise<unknown>,
  ): Promise<FieldError[]> =>
    (await found) ? [] : [{ field: `${field}.${index}`, message: unknownId(field === 'roleIds' ? 'role' : 'team') }];
  const errors = await Promise.all([
    ...(body.roleIds ?? []).map((id, index) =>
      unknown('roleIds', index, orAbsent(identity.findRole({ params: { id }, as }))),
    ),
    ...(body.teamIds ?? []).map((id, index) =>
      unknown('teamIds', index, orAbsent(identity.findTeam({ params: { id }, as }))),
    ),
  ]);
  if (errors.flat().length) throw fail('validation_failed', errors.flat());
}

const conditionsOf = {
  user: ['roleIds', 'teamIds'],
  partner: ['tiers'],
  lead: ['leadConditions'],
} as const satisfies Record<(typeof learnerTypes)[number], readonly (keyof Written)[]>;

/** @throws 422 for conditions on another type of learner, conditions without a value, and an end before the due date */
export function checkFit(learnerType: keyof typeof conditionsOf, rule: Written): void {
  const errors: FieldError[] = [];
  for (const [type, fields] of Object.entries(conditionsOf))
    for (const field of type === learnerType ? [] : fields)
      if (rule[field]?.length) errors.push({ field, message: `Must be empty in a rule for a ${learnerType}` });
  for (const [index, { operator, value }] of (rule.leadConditions ?? []).entries())
    if (!operator.startsWith('is_') && (value === null || value === undefined))
      errors.push({ field: `leadConditions.${index}.value`, message: `Is needed for ${operator}` });
  const { dueInDays, expiresInDays } = rule;
  if (dueInDays && expiresInDays && expiresInDays < dueInDays)
    errors.push({ field: 'expiresInDays', message: 'Must not be less than dueInDays' });
  if (errors.length) throw fail('validation_failed', errors);
}

/** The conditions on leads as their column stores them. */
export function storedConditions(written: Written['leadConditions']): z.output<typeof LeadCondition>[] | undefined {
  return written?.map((one) => ({ ...one, value: one.value ?? null })) as z.output<typeof LeadCondition>[] | undefined;
}
