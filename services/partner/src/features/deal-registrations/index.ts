import type { dealRegistrations } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { approveDealRegistration } from './approve-deal-registration.ts';
import { convertDealRegistration } from './convert-deal-registration.ts';
import { createDealRegistration } from './create-deal-registration.ts';
import { deleteDealRegistration } from './delete-deal-registration.ts';
import { getDealRegistration } from './get-deal-registration.ts';
import { listDealRegistrations } from './list-deal-registrations.ts';
import { rejectDealRegistration } from './reject-deal-registration.ts';
import { submitDealRegistration } from './submit-deal-registration.ts';
import { updateDealRegistration } from './update-deal-registration.ts';
import { withdrawDealRegistration } from './withdraw-deal-registration.ts';

export const dealRegistrationHandlers = (tools: Tools) =>
  ({
    createDealRegistration,
    listDealRegistrations,
    getDealRegistration,
    updateDealRegistration,
    deleteDealRegistration,
    submitDealRegistration,
    approveDealRegistration: approveDealRegistration(tools),
    rejectDealRegistration: rejectDealRegistration(tools),
    withdrawDealRegistration,
    convertDealRegistration: convertDealRegistration(tools),
  }) satisfies Handlers<typeof dealRegistrations, Tx>;
