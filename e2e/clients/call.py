"""Creates a contact, sends it a message and lists contacts, with the generated client: call.py URL KEY."""

import sys

from frontdesk_client import AuthenticatedClient
from frontdesk_client.api.contacts import get_contacts, post_contacts
from frontdesk_client.api.messages import post_messages
from frontdesk_client.models import (
    ContactList,
    NewContact,
    NewTemplate,
    PostContactsResponse201,
    PostMessagesResponse201,
    TemplateChoice,
    ToPhone,
)

PHONE = "+14155550123"

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)

made = post_contacts.sync(client=client, body=NewContact(name="Ann Lee", phone=PHONE))
assert isinstance(made, PostContactsResponse201), made

template = TemplateChoice(name="appointment_reminder", body_params=["Ann", "5 May"])
message = NewTemplate(type_="template", to=ToPhone(phone=PHONE), template=template)
sent = post_messages.sync(client=client, body=message)
assert isinstance(sent, PostMessagesResponse201), sent
assert sent.data.template_name == "appointment_reminder", sent

listed = get_contacts.sync(client=client, phone=PHONE)
assert isinstance(listed, ContactList), listed
assert [contact.id for contact in listed.data] == [made.data.id], listed
