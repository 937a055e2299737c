import { type LeadMerge, mergeFields } from '@tandem/crm-contract';
import { failField } from '@tandem/service';
import type { z } from 'zod';
import { mergedCustomFields } from '../custom-fields/merged-values.ts';
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
  const converted = convertedOf(leads);
  if (converted && choices.status !== undefined && choices.status !== converted.id)
    throw failField('fieldChoices.status', 'Must be the converted lead, whose status the survivor gets');
  const all = effectiveChoices(leads, choices);
  const picked = mergeFields.map((field) => {
    const id = sourceOf(field, leads, all);
    return [field, leads.find((lead) => lead.id === id)?.[field]] as const;
  });
  const withStatus = leads.find((lead) => lead.id === sourceOf('status', leads, all)) ?? survivor;
  return {
    ...(Object.fromEntries(picked) as Pick<LeadRecord, MergeField>),
    status: withStatus.status,
    statusCode: withStatus.statusCode,
    ...(converted && {
      convertedAt: converted.convertedAt,
      convertedOpportunityId: converted.convertedOpportunityId,
    }),
    tags: [...new Set(leads.flatMap(({ tags }) => tags))].slice(0, Math.max(tagsMax, survivor.tags.length)),
    customFields: mergedCustomFields(leads),
    consent: strictestConsent(leads.map(({ consent }) => consent)),
    ...highestScore(leads),
    createdAt: new Date(Math.min(...leads.map(({ createdAt }) => createdAt.getTime()))),
  };
}

function convertedOf(leads: readonly LeadRecord[]): LeadRecord | undefined {
  return leads.find(({ convertedAt }) => convertedAt !== null);
}

/** The choices with those that follow from others: the team of the assignee, and the status of a converted lead. */
function effectiveChoices(leads: readonly [LeadRecord, ...LeadRecord[]], choices: FieldChoices): FieldChoices {
  const converted = convertedOf(leads);
  const teamId = choices.teamId ?? sourceOf('assignedTo', leads, choices);
  return { ...choices, teamId, ...(converted && { status: converted.id }) };
}

/** A score that somebody set comes before calculated ones. */
function highestScore(leads: readonly LeadRecord[]): Pick<LeadRecord, 'score' | 'scorePinned'> {
  const pinned = leads.filter(({ scorePinned }) => scorePinned);
  const scores = (pinned.length ? pinned : leads).map(({ score }) => score);
  return { score: Math.max(...scores), scorePinned: pinned.length > 0 };
}

/** The fields in which the leads have different values, with the lead whose value is taken. */
export function conflictsOf(leads: readonly [LeadRecord, ...LeadRecord[]], choices: FieldChoices): Conflict[] {
  const all = effectiveChoices(leads, choices);
  return mergeFields.flatMap((field) => {
    const filled = leads.filter((lead) => lead[field] !== null);
    if (new Set(filled.map((lead) => lead[field])).size < 2) return [];
    const options = filled.map((lead) => ({ leadId: lead.id, value: { [field]: lead[field] } }));
    return [{ field, chosenLeadId: sourceOf(field, leads, all), options }];
  });
}

/** The lead that a field is taken from: the chosen one, else the first that has a value. */
function sourceOf(field: MergeField, leads: readonly [LeadRecord, ...LeadRecord[]], choices: FieldChoices): number {
  return choices[field] ?? (leads.find((lead) => lead[field] !== null) ?? leads[0]).id;
}
