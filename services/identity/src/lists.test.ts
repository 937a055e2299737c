import { identity } from '@tandem/identity-contract';
import { everyList } from '@tandem/testing';
import { type Service, startIdentity } from './identity.test-service.ts';

let service: Service;
beforeAll(async () => {
  service = await startIdentity();
});
afterAll(() => service?.close());

everyList(identity, () => service, {
  'listAuditLogs.environment': 'nearly all entries are of live; those of sandbox have an index',
  'listAuditLogs.targetId': 'a code that names the type of the record as well',
  listAddonCatalog: 'the catalogue is in memory',
  listTeamMembers: 'members are read through Prisma',
  'listUsers.teamId': 'members are read through Prisma',
  'listUsers.search': 'a tenant has some thousand users',
  'listTeams.search': 'a tenant has some hundred teams',
  'listRoles.search': 'a tenant has some dozens of roles',
  'listApiKeys.search': 'a tenant has some hundred keys',
  'listApiKeys.status': 'a tenant has some hundred keys',
});
