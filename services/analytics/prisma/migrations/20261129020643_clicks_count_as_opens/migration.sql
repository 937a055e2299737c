-- AlterTable
ALTER TABLE "engagement_event" ADD COLUMN     "is_opening" BOOLEAN;

-- Skips an event whose insertId is taken, and marks the first one of its type that a lead caused with a message. A click counts as
-- an open: of opens and clicks of a message, the first one is also marked.
CREATE OR REPLACE FUNCTION public.keep_engagement_unique() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.insert_id IS NOT NULL THEN
    INSERT INTO public.engagement_key (tenant_id, environment, key, event_id, "timestamp")
      VALUES (NEW.tenant_id, NEW.environment, 'insert ' || NEW.insert_id, NEW.id, NEW."timestamp") ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RETURN NULL;
    END IF;
  END IF;
  NEW.is_first := false;
  IF NEW.automated OR NEW.lead_id IS NULL OR NEW.message_id IS NULL THEN
    RETURN NEW;
  END IF;
  IF NEW.type <> 'email_open' THEN
    INSERT INTO public.engagement_key (tenant_id, environment, key, event_id, "timestamp")
      VALUES (NEW.tenant_id, NEW.environment, concat_ws(' ', 'first', NEW.type, NEW.lead_id, NEW.message_id), NEW.id, NEW."timestamp")
      ON CONFLICT DO NOTHING;
    NEW.is_first := FOUND;
  END IF;
  IF NEW.type IN ('email_open', 'link_click') THEN
    INSERT INTO public.engagement_key (tenant_id, environment, key, event_id, "timestamp")
      VALUES (NEW.tenant_id, NEW.environment, concat_ws(' ', 'opened', NEW.lead_id, NEW.message_id), NEW.id, NEW."timestamp")
      ON CONFLICT DO NOTHING;
    -- Messages that were opened or clicked before this migration have keys of these types only.
    NEW.is_opening := FOUND AND NOT EXISTS (
      SELECT FROM public.engagement_key WHERE tenant_id = NEW.tenant_id AND environment = NEW.environment
        AND key IN (concat_ws(' ', 'first', 'email_open', NEW.lead_id, NEW.message_id),
          concat_ws(' ', 'first', 'link_click', NEW.lead_id, NEW.message_id)) AND event_id <> NEW.id);
  END IF;
  IF NEW.type = 'email_open' THEN
    NEW.is_first := NEW.is_opening;
  END IF;
  RETURN NEW;
END $body$;
