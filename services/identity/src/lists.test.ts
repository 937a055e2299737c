import { identity } from '@tandem/identity-contract';
import { everyList } from '@tandem/testing';
import { type Service, startIdentity } from './identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

everyList(identity, () => service, {
  'listAuditLogs.environment': 'nearly all entries are live; sandbox entries have an index',
  'listAuditLogs.targetId': 'the public id includes the type of the record',
  listAddonCatalog: 'the catalogue is in memory',
  listTeamMembers: 'members are read through Prisma',
  'listUsers.teamId': 'members are read through Prisma',
  'listUsers.search': 'a tenant has a few thousand users',
  'listTeams.search': 'a tenant has a few hundred teams',
  'listRoles.search': 'a tenant has a few dozen roles',
  'listApiKeys.search': 'a tenant has a few hundred keys',
  'listApiKeys.status': 'a tenant has a few hundred keys',
});
