import { identity } from '@tandem/identity-contract';
import { createIdCodec } from '@tandem/ids';
import { everyList } from '@tandem/testing';
import { type Service, startIdentity } from './identity.test-service.ts';

const ids = createIdCodec(process.env.IDS_ALPHABET as string);

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

everyList(identity, () => service, {
  unsorted: {
    listPlans: 'the plans are in memory',
    listPermissions: 'the permissions are in memory',
    listAddonCatalog: 'the catalogue is in memory',
    listEntitlements: 'computed from the plan and the addons',
    listInstalledAddons: 'a tenant has at most one installation of each addon',
    listSsoDomains: 'a tenant has at most a few domains',
    listTenants: 'reads 100 tenants after an id',
    findAssignees: 'the named users and teams, at most a bounded number',
    listActiveUsers: 'in the order of ids, which is the key of the table',
  },
  samples: (tenantId) => ({ 'listAuditLogs.targetId': ids.encode('user', tenantId, 999_999_999) }),
  withoutIndex: {
    'listAuditLogs.environment': 'nearly all entries are live; sandbox entries have an index',
    'listAuditLogs.outcome': 'nearly all actions succeed; the others have an index',
    'listUsers.search': 'a tenant has a few thousand users',
    'listTeams.search': 'a tenant has a few hundred teams',
    'listInvitations.search': 'a tenant has a few hundred invitations',
    'listRoles.search': 'a tenant has a few dozen roles',
    'listApiKeys.search': 'a tenant has a few hundred keys',
    'listApiKeys.status': 'a tenant has a few hundred keys',
  },
});
