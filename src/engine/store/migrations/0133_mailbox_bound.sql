-- Old code may run beside this: it counts mailboxes by a statement of its own.
-- Fails the transaction when a mailbox has too many entries, so that the sender need not wait for a count before it commits. The
-- detail names the mailbox as a violated constraint does.
create or replace function check_mailboxes(addresses json, entries_max integer) returns void language plpgsql as $$ declare
  full_address text; begin select m.group_address into full_address from json_array_elements_text(addresses) as sent(address)
    join mailbox m on m.group_address = sent.address group by m.group_address having count(*) > entries_max limit 1; if full_address is not null then
    raise exception using errcode = 'CB001', message = 'a mailbox is full', detail = format('(group_address)=(%s)', full_address); end if; end
$$;
