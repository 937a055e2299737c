import { randomInt } from 'node:crypto';
import { tenantCreated, type tenants, userCreated } from '@tandem/identity-contract';
import { hashPassword } from '@tandem/passwords';
import { asActor, type Handler, type Tools, type Tx } from '../../handler.ts';
import { sendVerification } from '../account/verification.ts';
import { openSession } from '../auth/session.ts';
import { ownerRole, systemRoles } from '../roles/system-roles.ts';
import { openSubscription } from '../subscriptions/subscription.ts';
import { asUser, emailHashes, emailLookupRow } from '../users/user.ts';
import { asTenant } from './tenant.ts';

const slugLength = 40;
// Sign-up takes any address: whoever gives that of somebody else can have only so many messages sent there.
const greetedTenantsMax = 5;

export const createTenant = (tools: Tools): Handler<typeof tenants.createTenant, string> => ({
  // Hashing is slow by design, so it runs before the transaction and holds no database connection.
  check: ({ body }) => hashPassword(body.owner.password),
  async run({ body, caller, tx, inTenant, found: passwordHash }) {
    const { password: _, ...person } = body.owner;
    const { id, slug } = await allocateTenant(tx, body.name);
    const [next] = await tx.sql<{ id: number }>`SELECT nextval(pg_get_serial_sequence('"user"', 'id')) AS id`;
    const owner = { ...person, id: (next as { id: number }).id };

    return inTenant({ tenantId: id, environment: 'live', actor: asActor(owner) }, async ({ tx, emit, schedule }) => {
      const tenant = asTenant(await tx.tenant.create({ data: { name: body.name, slug } }));
      await openSubscription(tx);
      const roles = await tx.role.createManyAndReturn({
        data: systemRoles.map((role) => ({ ...role, permissions: [...role.permissions], isSystem: true })),
      });
      const role = roles.find(({ name }) => name === ownerRole) as (typeof roles)[number];
      const user = asUser(
        await tx.user.create({ data: { ...owner, passwordHash, roleId: role.id, lastLoginAt: new Date() } }),
        [],
      );
      await tx.emailLookup.create({
        data: emailLookupRow({ email: user.email, ownerTenantId: id, isProven: false }, tools.pepper),
      });
      emit(tenantCreated, { data: { tenantId: id, plan: tenant.plan }, record: tenant });
      emit(userCreated, { data: { userId: user.id, roleId: role.id }, record: user });
      const emailHash = { in: emailHashes(user.email, tools.pepper) };
      if ((await tx.emailLookup.count({ where: { emailHash } })) <= greetedTenantsMax)
        await sendVerification({ tx, schedule }, user, tools);
      const { tokens } = await openSession(tx, { tenantId: id, user, role, caller, method: 'sign_up' }, tools);
      return { ...tokens, tenant, user };
    });
  },
});

/** Allocates an id and a unique slug for a new tenant. */
async function allocateTenant(tx: Tx, name: string): Promise<{ id: number; slug: string }> {
  const slug = slugOf(name);
  for (let candidate = slug; ; candidate = `${slug}-${randomInt(36 ** 5).toString(36)}`) {
    const [row] = await tx.sql<{ id: number; slug: string }>`INSERT INTO tenant_directory (slug) VALUES (${candidate})
      ON CONFLICT DO NOTHING RETURNING id, slug`;
    if (row) return row;
  }
}

/** `Müller & Söhne` becomes `muller-sohne`; a name without Latin letters becomes `tenant`. */
function slugOf(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['tenant'];
  return words.join('-').slice(0, slugLength).replace(/-$/, '');
}
