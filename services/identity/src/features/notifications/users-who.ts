import { allows } from '@tandem/contract';
import { recipientsMax } from '@tandem/identity-contract';
import type { Tx } from '../../handler.ts';

/**
 * The active users whose role grants a permission, in id order, at most as many as a notification may have.
 * @param options.among only these users; a narrowed grant is enough then, because the record is theirs
 * @param options.except not this user
 */
export async function usersWho(
  tx: Tx,
  permission: string,
  { among, except }: { among?: readonly number[]; except?: number | undefined } = {},
): Promise<number[]> {
  const roles = await tx.role.findMany({ select: { id: true, permissions: true } });
  const reaches = (permissions: string[]) => {
    const reach = allows(permissions, permission);
    return among ? reach !== undefined : reach === 'all';
  };
  const roleIds = roles.filter(({ permissions }) => reaches(permissions)).map(({ id }) => id);
  const users = await tx.user.findMany({
    where: { status: 'active', roleId: { in: roleIds }, ...(among && { id: { in: [...among] } }) },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: recipientsMax + 1,
  });
  return users
    .map(({ id }) => id)
    .filter((id) => id !== except)
    .slice(0, recipientsMax);
}
