import { actingUserId, type Caller } from '@tandem/caller';
import type { leads } from '@tandem/crm-contract';
import { type Assignee, defaultTeam, toJsonColumn } from '@tandem/service';
import type { z } from 'zod';
import type { CustomWrite } from '../custom-fields/write-values.ts';
import { changedConsent, consentColumn } from './consent.ts';
import type { CodedStatus } from './lead-status.ts';
import { matchKeys } from './similarity.ts';

type Body = z.output<typeof leads.createLead.body>;
/** The body of a new lead, in which an optional field is absent, never undefined. */
export type NewLead = { [Field in keyof Body]: Exclude<Body[Field], undefined> };

/** What a new lead gets beside the fields of its body. */
interface Decided {
  caller: Caller;
  assignee: Pick<Assignee, 'id' | 'teamIds'> | undefined;
  status: CodedStatus;
  custom: CustomWrite;
  /** The account of the domain of its address, for a body that names none. */
  accountId: number | null;
}

/** The columns of a new lead. Operations, bulk requests and imports all use them, so that their leads do not differ. */
export function newLeadColumns(body: NewLead, { caller, assignee, status, custom, accountId }: Decided) {
  const { customFields = {}, consent = {}, teamId = defaultTeam(caller, assignee), ...fields } = body;
  return {
    // All columns, so that many leads are inserted by one statement whatever fields each has.
    phone: null,
    source: null,
    score: 0,
    assignedTo: null,
    tags: [],
    externalId: null,
    referralCode: null,
    timezone: null,
    ...fields,
    ...status,
    ...custom.columns,
    ...matchKeys({ phone: null, ...fields }),
    teamId,
    accountId: fields.accountId === undefined ? accountId : fields.accountId,
    externalKey: fields.externalId ?? null,
    consent: consentColumn(changedConsent({}, consent)),
    customFields: toJsonColumn(customFields),
    createdBy: actingUserId(caller) ?? null,
  };
}
