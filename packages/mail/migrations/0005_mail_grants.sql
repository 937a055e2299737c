-- How many messages the last statement that grants a part counted.
ALTER TABLE platform.mail_count ADD COLUMN granted int NOT NULL DEFAULT 0;
GRANT UPDATE (granted) ON platform.mail_count TO :app;
