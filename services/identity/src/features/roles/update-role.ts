import { type roles, roleUpdated } from '@tandem/identity-contract';
import { diff, fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { checkCeiling, checkRank } from '../../permissions.ts';
import { lockRole, nameTaken } from './role.ts';

export const updateRole =
  (tools: Tools): Handler<typeof roles.updateRole> =>
  async ({ params, body, caller, tx, emit, ifMatch, afterCommit }) => {
    const before = await lockRole(tx, params.id);
    if (before.isSystem) throw fail('system_role');
    ifMatch(before);
    const { isEmpty, values, audit } = diff(before, body);
    if (isEmpty) return before;
    // A caller who cannot grant the role's permissions cannot remove them either.
    if (values.permissions) {
      checkCeiling(caller, values.permissions);
      checkRank(caller, before.permissions, 'role');
    }
    const [role] = await tx.role
      .updateManyAndReturn({ where: { id: before.id }, data: { ...values, version: { increment: 1 } } })
      .catch((error: unknown) => {
        throw nameTaken(error);
      });
    if (!role) throw fail('not_found');
    emit(roleUpdated, { data: { roleId: role.id }, record: role, changes: audit });
    afterCommit(() => tools.invalidateCredentials({ tenantId: role.tenantId }));
    return role;
  };
