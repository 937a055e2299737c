import type { portalDealRegistrations } from '@tandem/partner-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createPortalDealRegistration } from './create-portal-deal-registration.ts';
import { deletePortalDealRegistration } from './delete-portal-deal-registration.ts';
import { getPortalDealRegistration } from './get-portal-deal-registration.ts';
import { listPortalDealRegistrations } from './list-portal-deal-registrations.ts';
import { submitPortalDealRegistration } from './submit-portal-deal-registration.ts';
import { updatePortalDealRegistration } from './update-portal-deal-registration.ts';
import { withdrawPortalDealRegistration } from './withdraw-portal-deal-registration.ts';

export const portalDealRegistrationHandlers = {
  createPortalDealRegistration,
  listPortalDealRegistrations,
  getPortalDealRegistration,
  updatePortalDealRegistration,
  deletePortalDealRegistration,
  submitPortalDealRegistration,
  withdrawPortalDealRegistration,
} satisfies Handlers<typeof portalDealRegistrations, Tx>;
