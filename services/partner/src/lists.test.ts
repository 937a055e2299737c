import { partner } from '@tandem/partner-contract';
import { everyList } from '@tandem/testing';
import { type Service, startPartner } from './partner.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startPartner();
});
afterAll(() => service?.close());

everyList(partner, () => service, {
  unsorted: {
    exportPartners: 'reads a number of partners after an id',
    findPartners: 'reads the requested ids',
    listPortalLeads: 'the latest first',
    listPortalOpportunities: 'the newest first, in crm',
    getPartnerUpline: 'reads the partners above a partner, which are at most 10',
  },
  withoutIndex: {
    'listCoMarketingResources.search': 'a tenant has a few hundred resources',
    'listPortalUsers.search': 'a partner has a few dozen users',
    'listCommissionPlans.search': 'a tenant has a few dozen plans',
    'listCommissionPlans.trigger': 'a tenant has a few dozen plans',
    'listPortalStatements.period': 'a partner has a few dozen statements',
    'listPortalStatements.status': 'a partner has a few dozen statements',
    'listCommissionStatements.period': 'a partner has a few dozen statements',
    'listCommissionStatements.status': 'a partner has a few dozen statements',
  },
  texts: {
    'partner.status': 'approved',
    'partner.tier': 'silver',
    'deal_registration.currency': 'EUR',
    'deal_registration.status': 'submitted',
    // The role of those who call the lists of the portal.
    'portal_user.role': 'owner',
    'statement.period': '1999-12',
    'time_zone_change.timezone': 'Europe/Berlin',
  },
  // Few rows: a tenant rarely changes its time zone.
  recordsMax: { time_zone_change: 5 },
});
