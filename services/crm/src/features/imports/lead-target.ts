import type { FieldError } from '@tandem/contract';
import { consentChannels, leadStatuses, leads } from '@tandem/crm-contract';
import type { IdCodec } from '@tandem/ids';
import type { Peers } from '../../handler.ts';
import type { NewLead } from '../leads/new-lead.ts';
import { named } from './definitions.ts';
import { customFieldsOf, listOf, putNumber, splitName } from './parse-cells.ts';
import type { ImportTarget, RowContext, Texts } from './target.ts';
import { undoLeads } from './undo-leads.ts';
import { findUsers, putUser, type References, userErrors } from './users.ts';
import { existingLeads, writeLeads } from './write-leads.ts';

const fields = {
  email: ['e-mail', 'mail', 'email address', 'e-mail-adresse', 'mailadresse', 'work email', 'business email'],
  firstName: ['first name', 'given name', 'forename', 'vorname', 'rufname'],
  lastName: ['last name', 'surname', 'family name', 'nachname', 'familienname', 'zuname'],
  fullName: ['name', 'full name', 'contact', 'contact name', 'vollständiger name', 'ansprechpartner', 'kontakt'],
  phone: [
    'telephone',
    'phone number',
    'mobile',
    'mobile phone',
    'cell',
    'telefon',
    'telefonnummer',
    'handy',
    'mobil',
    'tel',
    'rufnummer',
  ],
  source: ['lead source', 'quelle', 'herkunft', 'leadquelle'],
  status: ['lead status', 'state', 'phase'],
  statusCode: ['status code'],
  score: ['lead score', 'punkte', 'bewertung'],
  assignedTo: ['owner', 'owner id', 'assigned to', 'assignee', 'zuständig', 'besitzer', 'bearbeiter'],
  tags: ['tag', 'labels', 'label', 'schlagworte', 'schlagwörter', 'stichworte'],
  externalId: ['external id', 'id', 'lead id', 'customer number', 'kundennummer', 'externe id', 'crm id', 'nummer'],
  referralCode: ['referral code', 'referral', 'empfehlungscode'],
  timezone: ['time zone', 'zeitzone'],
  'consent.email': ['email consent', 'email opt in', 'e-mail-einwilligung'],
  'consent.phone': ['phone consent', 'telefoneinwilligung'],
  'consent.sms': ['sms consent', 'sms opt in'],
  'consent.whatsapp': ['whatsapp consent', 'whatsapp opt in'],
  'consent.post': ['post consent', 'mail consent'],
  customFields: [],
} as const;

/** How leads are imported, by the rules of createLead. */
export const leadTarget = (peers: Peers, ids: IdCodec): ImportTarget<NewLead, References> => ({
  type: 'lead',
  row: leads.createLead,
  fields,
  dedupe: { by: ['email', 'externalId', 'phone'], usual: { by: 'email', action: 'skip' } },
  existing: existingLeads,
  userField: 'assignedTo',
  toBody: (texts, context) => toBody(texts, { ...context, ids }),
  findReferences: (records, caller) => findUsers(peers, { records, caller, field: 'assignedTo' }),
  referenceErrors: ({ assignedTo }, references) => userErrors('assignedTo', assignedTo, references),
  write: writeLeads,
  undo: undoLeads,
});

function toBody(
  texts: Texts,
  { ids, tenantId, defined, known, errors }: RowContext & { ids: IdCodec },
): Record<string, unknown> {
  const { fullName, score, tags, assignedTo, source, status, statusCode, ...others } = texts;
  const plain = Object.entries(others).filter(([field]) => !field.includes('.'));
  const body: Record<string, unknown> = { ...(fullName && splitName(fullName)), ...Object.fromEntries(plain) };
  putNumber(body, texts, 'score', errors);
  if (tags) body['tags'] = listOf(tags);
  if (source) body['source'] = source.toLowerCase();
  putStatus(body, texts, { defined, errors });
  putConsent(body, texts, errors);
  const customFields = customFieldsOf(texts, { defined, errors });
  if (customFields) body['customFields'] = customFields;
  putUser(body, texts, 'assignedTo', { ids, tenantId, known, errors });
  return body;
}

/** The status that a row names: one of the four, or the code or name of one that the tenant defined. */
function putStatus(
  body: Record<string, unknown>,
  { status, statusCode }: Texts,
  { defined: { statuses }, errors }: Pick<RowContext, 'defined' | 'errors'>,
): void {
  const isBuiltIn = leadStatuses.some((one) => one === status?.toLowerCase());
  if (isBuiltIn) body['status'] = status?.toLowerCase();
  for (const [field, text] of Object.entries({ statusCode, status: isBuiltIn ? undefined : status })) {
    if (!text) continue;
    const found = named(statuses, text);
    if (found) body['statusCode'] = found.code;
    else {
      const remedy = 'GET /v1/config/statuses?entityType=lead lists the lead statuses';
      errors.push({ field, message: `No lead status with this code or name; ${remedy}` });
    }
  }
}

const decisions: Record<string, 'granted' | 'denied' | 'unknown'> = {
  ...Object.fromEntries(['granted', 'yes', 'ja', 'true', '1', 'x'].map((word) => [word, 'granted'])),
  ...Object.fromEntries(['denied', 'no', 'nein', 'false', '0'].map((word) => [word, 'denied'])),
  unknown: 'unknown',
};

/** The consents that a row has, given when it is imported. */
function putConsent(body: Record<string, unknown>, texts: Texts, errors: FieldError[]): void {
  const consent: Record<string, { state: string }> = {};
  for (const channel of consentChannels) {
    const field = `consent.${channel}`;
    const text = texts[field];
    if (!text) continue;
    const state = decisions[text.toLowerCase()];
    if (state) consent[channel] = { state };
    else errors.push({ field, message: 'Must be granted, denied or unknown; yes and no are accepted too' });
  }
  if (Object.keys(consent).length) body['consent'] = consent;
}
