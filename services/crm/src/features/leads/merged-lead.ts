import { freeForm } from '@tandem/contract';
import { type LeadMerge, mergeFields } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import { strictestConsent } from './consent.ts';
import type { LeadRecord } from './lead.ts';

type MergeField = (typeof mergeFields)[number];
/** For each field, the lead to take it from. */
export type FieldChoices = Partial<Record<MergeField, number | undefined>>;
type Conflict = z.output<typeof LeadMerge>['conflicts'][number];

const tagsMax = 50;

/**
 * The values that the survivor of a merge gets.
 * @param leads the survivor, then the others in the order of the request
 */
export function mergedValues(leads: readonly [LeadRecord, ...LeadRecord[]], choices: FieldChoices) {
  const [survivor] = leads;
  const owner = leads.find((lead) => lead.id === sourceOf('assignedTo', leads, choices)) ?? survivor;
  // A lead without a choice stays in the team of its assignee.
  const all = { teamId: owner.id, ...choices };
  const picked = mergeFields.map((field) => {
    const id = sourceOf(field, leads, all);
    return [field, leads.find((lead) => lead.id === id)?.[field]] as const;
  });
  const converted = leads.find(({ convertedAt }) => convertedAt !== null);
  const withStatus = converted ?? leads.find((lead) => lead.id === sourceOf('status', leads, choices)) ?? survivor;
  return {
    ...(Object.fromEntries(picked) as Pick<LeadRecord, MergeField>),
    status: withStatus.status,
    statusCode: withStatus.statusCode,
    ...(converted && {
      convertedAt: converted.convertedAt,
      convertedOpportunityId: converted.convertedOpportunityId,
    }),
    tags: [...new Set(leads.flatMap(({ tags }) => tags))].slice(0, Math.max(tagsMax, survivor.tags.length)),
    customFields: mergedFields(leads),
    consent: strictestConsent(leads.map(({ consent }) => consent)),
    ...highestScore(leads),
    createdAt: new Date(Math.min(...leads.map(({ createdAt }) => createdAt.getTime()))),
  };
}

/** A score that somebody set comes before calculated ones. */
function highestScore(leads: readonly LeadRecord[]): Pick<LeadRecord, 'score' | 'scorePinned'> {
  const pinned = leads.filter(({ scorePinned }) => scorePinned);
  const scores = (pinned.length ? pinned : leads).map(({ score }) => score);
  return { score: Math.max(...scores), scorePinned: pinned.length > 0 };
}

/** The fields in which the leads have different values, with the lead whose value is taken. */
export function conflictsOf(leads: readonly [LeadRecord, ...LeadRecord[]], choices: FieldChoices): Conflict[] {
  return mergeFields.flatMap((field) => {
    const filled = leads.filter((lead) => lead[field] !== null);
    if (new Set(filled.map((lead) => lead[field])).size < 2) return [];
    const options = filled.map((lead) => ({ leadId: lead.id, value: { [field]: lead[field] } }));
    return [{ field, chosenLeadId: sourceOf(field, leads, choices), options }];
  });
}

/** The lead that a field is taken from: the chosen one, else the first that has a value. */
function sourceOf(field: MergeField, leads: readonly [LeadRecord, ...LeadRecord[]], choices: FieldChoices): number {
  return choices[field] ?? (leads.find((lead) => lead[field] !== null) ?? leads[0]).id;
}

function mergedFields(leads: readonly LeadRecord[]): Record<string, unknown> {
  // Later entries win: the survivor comes last.
  const merged = Object.assign({}, ...leads.map(({ customFields }) => customFields).reverse());
  const { error } = freeForm().safeParse(merged);
  if (error)
    throw failField('mergeIds', `The custom fields of the leads do not fit into one: ${error.issues[0]?.message}`);
  return merged;
}
