-- A lead that was merged into another one may still get rows: by a request that checked it before, or by a late event. Tables
-- whose rows follow the merges of leads (packages/service/src/lead-merges) store such a row for the lead that remains.
CREATE FUNCTION platform.follow_merged_lead() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  stored bigint := NEW.lead_id;
  next bigint;
BEGIN
  -- Events that arrive out of order can close a circle for a moment.
  FOR step IN 1..20 LOOP
    SELECT merged_into_id INTO next FROM public.merged_lead
      WHERE tenant_id = NEW.tenant_id AND environment = NEW.environment AND lead_id = NEW.lead_id;
    EXIT WHEN next IS NULL;
    NEW.lead_id := next;
    NEW.merged_from_lead_id := stored;
  END LOOP;
  RETURN NEW;
END $body$;
