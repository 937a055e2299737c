-- A service keeps the state of a tenant whose data it has removed, so that late events and jobs of it are dropped instead
-- of writing rows again. The row contains the number of the tenant and no data of it.
ALTER TABLE platform.tenant_state DROP CONSTRAINT tenant_state_state_check;
ALTER TABLE platform.tenant_state ADD CONSTRAINT tenant_state_state_check
  CHECK (state IN ('active', 'suspended', 'removing', 'removed')) NOT VALID;
