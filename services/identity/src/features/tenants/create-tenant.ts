import { randomInt } from 'node:crypto';
import { tenantCreated, type tenants, userCreated } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { asActor, type Handler, type Tools, type Tx } from '../../handler.ts';
import { openSession } from '../auth/session.ts';
import { ownerRole, systemRoles } from '../roles/system-roles.ts';
import { asUser, emailPlace } from '../users/user.ts';
import { asTenant } from './tenant.ts';

const slugLength = 40;

export const createTenant = (tools: Tools): Handler<typeof tenants.createTenant, string> => ({
  // Hashing takes long on purpose; no connection waits for it.
  check: ({ body }) => hashPassword(body.owner.password),
  async run({ body, caller, tx, inTenant, found: passwordHash }) {
    const { password: _, ...person } = body.owner;
    const { id, slug } = await takePlace(tx, body.name);
    const [next] = await tx.sql<{ id: number }>`SELECT nextval(pg_get_serial_sequence('"user"', 'id')) AS id`;
    const owner = { ...person, id: (next as { id: number }).id };

    return inTenant({ tenantId: id, environment: 'live', actor: asActor(owner) }, async ({ tx, emit }) => {
      const tenant = asTenant(await tx.tenant.create({ data: { name: body.name, slug } }));
      const roles = await tx.role.createManyAndReturn({
        data: systemRoles.map((role) => ({ ...role, permissions: [...role.permissions], isSystem: true })),
      });
      const role = roles.find(({ name }) => name === ownerRole) as (typeof roles)[number];
      const user = asUser(
        await tx.user.create({ data: { ...owner, passwordHash, roleId: role.id, lastLoginAt: new Date() } }),
        [],
      );
      await tx.emailLookup.create({ data: emailPlace(user.email, id, tools.pepper) });
      emit(tenantCreated, { data: { tenantId: id, plan: tenant.plan }, record: tenant });
      emit(userCreated, { data: { userId: user.id, roleId: role.id }, record: user });
      const { tokens } = await openSession(tx, { tenantId: id, user, role, caller }, tools);
      return { ...tokens, tenant, user };
    });
  },
});

/** The number of a new tenant, and a slug of its name that no other tenant has. */
async function takePlace(tx: Tx, name: string): Promise<{ id: number; slug: string }> {
  const slug = slugOf(name);
  for (let candidate = slug; ; candidate = `${slug}-${randomInt(36 ** 5).toString(36)}`) {
    const [row] = await tx.sql<{ id: number; slug: string }>`INSERT INTO tenant_directory (slug) VALUES (${candidate})
      ON CONFLICT DO NOTHING RETURNING id, slug`;
    if (row) return row;
  }
}

/** `Müller & Söhne` becomes `muller-sohne`; a name without Latin letters `tenant`. */
function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['tenant'];
  return words.join('-').slice(0, slugLength).replace(/-$/, '');
}
